/** Base of the commands that act on the local sandbox that is running. */
import {BaseCommand} from './base-command.js'
import {control, findSandbox, type RunningSandbox} from './running-sandbox.js'

export abstract class SandboxCommand extends BaseCommand {
  protected running(): RunningSandbox {
    const named = this.argv.some(word => word.startsWith('--base-url'))
    return findSandbox(this.config.configDir, this.globals['base-url'], named)
  }

  /** Asks one of its controls; with `body` it is a POST. */
  protected async control(path: string, body?: object): Promise<Record<string, unknown>> {
    const sandbox = this.running()
    return control(await this.openSender(), sandbox, path, body)
  }
}
