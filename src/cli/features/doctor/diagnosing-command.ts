/** Base of the commands that look at this machine and the way to the service. */
import process from 'node:process'
import {Failure} from '../../../contract/failure.js'
import {StorageError} from '../../../storage/errors.js'
import type {Surroundings} from '../../session/effective.js'
import {BaseCommand} from '../../shell/base-command.js'
import type {Check} from './check.js'

export abstract class DiagnosingCommand extends BaseCommand {
  override readonly showsSettings = true

  /** Without what config.json says where it cannot be understood, which is one of the things to tell. */
  private usableSurroundings(): Promise<Surroundings> {
    return this.surroundings().catch(error => {
      if (!(error instanceof Failure || error instanceof StorageError)) throw error
      return {settings: {profiles: {}}, env: process.env, flags: {}}
    })
  }

  /** Every check of `doctor`. */
  protected async diagnose(offline: boolean, receiver: string | undefined): Promise<Check[]> {
    const [{diagnose, lookAtPermissions}, {readConnectionSettings}] = await Promise.all([
      import('./doctor.js'),
      import('../../session/defaults.js'),
    ])
    const permissions = await lookAtPermissions(this.config.configDir)
    const around = await this.usableSurroundings()
    return diagnose({
      permissions,
      state: await this.state(),
      flags: this.globals,
      namesProfile: this.namesProfile(),
      connect: await this.connectOptions(await readConnectionSettings(around, true)),
      around,
      offline,
      receiver,
    })
  }
}
