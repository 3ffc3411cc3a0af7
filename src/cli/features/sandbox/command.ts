/** Base of the commands that act on the local sandbox that is running. */
import {dryRun, plainDryRequest} from '../../session/dry-run.js'
import {BaseCommand} from '../../shell/base-command.js'
import type {Result} from '../../terminal/result.js'
import {control, findSandbox, type RunningSandbox} from './running.js'

export abstract class SandboxCommand extends BaseCommand {
  protected running(): RunningSandbox {
    const named = this.argv.some(word => word.startsWith('--base-url'))
    return findSandbox(this.config.configDir, this.globals['base-url'], named)
  }

  /** What `control` would send, for --dry-run. */
  protected describe(path: string, body?: object): Result {
    const url = `${this.running().origin}/_sandbox${path}`
    return dryRun([plainDryRequest(body ? 'POST' : 'GET', url, body)])
  }

  /** Asks one of its controls; with `body` it is a POST. Waits `seconds`, where that is given and --timeout is not. */
  protected async control(path: string, body?: object, seconds?: number): Promise<Record<string, unknown>> {
    const sandbox = this.running()
    const {sender, timeoutSeconds} = await this.openSender()
    const patience = this.timeoutSeconds ?? seconds ?? timeoutSeconds
    return control({sender, timeoutSeconds: patience}, sandbox, path, body)
  }
}
