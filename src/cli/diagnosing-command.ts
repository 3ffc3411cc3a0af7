/** Base of the commands that look at this machine and the way to the service. */
import {Failure} from '../contract/failure.js'
import {StorageError} from '../storage/errors.js'
import {BaseCommand} from './base-command.js'
import type {Check} from './doctor/check.js'
import type {Preferences} from './settings/defaults.js'

export abstract class DiagnosingCommand extends BaseCommand {
  /** Nothing where config.json cannot be understood, which is one of the things to tell. */
  private usablePreferences(): Promise<Preferences> {
    return this.preferences().catch(error => {
      if (error instanceof Failure || error instanceof StorageError) return {}
      throw error
    })
  }

  /** Every check of `doctor`. */
  protected async diagnose(offline: boolean, receiver: string | undefined): Promise<Check[]> {
    const {diagnose} = await import('./doctor/doctor.js')
    return diagnose({
      state: await this.state(),
      flags: this.globals,
      namesProfile: this.namesProfile(),
      connect: await this.connectOptions(await this.usablePreferences()),
      offline,
      receiver,
    })
  }
}
