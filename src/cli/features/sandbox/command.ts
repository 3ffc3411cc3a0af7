/** Base of the commands that act on a local sandbox that is running. */
import {dryRun, plainDryRequest} from '../../session/dry-run.js'
import {BaseCommand} from '../../shell/base-command.js'
import {type ControlCall, control, findSandbox, type RunningSandbox} from './running.js'

export const FAULT_COLUMNS = 'kind operation times left status retry_after code latency_ms'.split(' ')

export abstract class SandboxCommand extends BaseCommand {
  private found: Promise<RunningSandbox> | undefined

  protected running(): Promise<RunningSandbox> {
    const typed = this.types('base-url') ? this.globals['base-url'] : undefined
    this.found ??= findSandbox(this.config.configDir, typed, text => this.tell(text))
    return this.found
  }

  protected get isDryRun(): boolean {
    return Boolean((this.globals as {'dry-run'?: boolean})['dry-run'])
  }

  /**
   * The answer of one of its controls. With --dry-run the request is printed instead, and nothing is returned. Waits `seconds`,
   * where that is given and --timeout is not.
   */
  protected async control(
    path: string,
    {seconds, ...call}: Omit<ControlCall, 'path'> & {readonly seconds?: number} = {},
  ): Promise<Record<string, unknown> | undefined> {
    const sandbox = await this.running()
    if (this.isDryRun) {
      const method = call.method ?? (call.body ? 'POST' : 'GET')
      const request = plainDryRequest(method, `${sandbox.origin}/_sandbox${path}`, call.body)
      return void (await this.print(dryRun([request])))
    }
    const {sender, timeoutSeconds} = await this.openSender()
    const patience = this.timeoutSeconds ?? seconds ?? timeoutSeconds
    return control({sender, timeoutSeconds: patience}, sandbox, {path, ...call})
  }
}
