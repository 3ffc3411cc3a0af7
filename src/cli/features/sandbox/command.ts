/** Base of the commands that act on the local sandbox that is running. */
import {dryRun, plainDryRequest} from '../../session/dry-run.js'
import {BaseCommand} from '../../shell/base-command.js'
import {control, findSandbox, type RunningSandbox} from './running.js'

export abstract class SandboxCommand extends BaseCommand {
  protected running(): RunningSandbox {
    const named = this.argv.some(word => word.startsWith('--base-url'))
    return findSandbox(this.config.configDir, this.globals['base-url'], named)
  }

  /**
   * The answer of one of its controls; with `body` it is a POST. With --dry-run the request is printed instead, and nothing is
   * returned. Waits `seconds`, where that is given and --timeout is not.
   */
  protected async control(
    path: string,
    body?: object,
    seconds?: number,
  ): Promise<Record<string, unknown> | undefined> {
    const sandbox = this.running()
    if ((this.globals as {'dry-run'?: boolean})['dry-run']) {
      const request = plainDryRequest(body ? 'POST' : 'GET', `${sandbox.origin}/_sandbox${path}`, body)
      return void (await this.print(dryRun([request])))
    }
    const {sender, timeoutSeconds} = await this.openSender()
    const patience = this.timeoutSeconds ?? seconds ?? timeoutSeconds
    return control({sender, timeoutSeconds: patience}, sandbox, path, body)
  }
}
