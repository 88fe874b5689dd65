// The version of this build, in one place for the handshake, the command line and `status`.

/** Equal to the package's own; a test holds them together. */
export const VERSION = '1.0.0-rc.1';
