/** oclif's help, written with the words a user types. */
export {Help as default} from '@oclif/core/help'
