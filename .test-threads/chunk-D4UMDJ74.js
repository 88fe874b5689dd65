import{createRequire}from'node:module';const require=createRequire(import.meta.url);
import {
  isErrno
} from "./chunk-KOKIPM3J.js";

// src/base/system/rename.ts
import fs from "node:fs";

// src/base/system/sleep.ts
function sleepSync(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

// src/base/system/rename.ts
var TEMPORARILY_LOCKED = ["EACCES", "EBUSY", "EPERM"];
var MAX_TRIES = 4;
var PAUSE_MS = 15;
function renamePatientlySync(from, to, call = fs.renameSync) {
  for (let tries = 1; ; tries += 1) {
    try {
      call(from, to);
      return;
    } catch (thrown) {
      rethrowUnlessLocked(thrown, tries);
      sleepSync(PAUSE_MS);
    }
  }
}
function rethrowUnlessLocked(thrown, tries) {
  if (tries === MAX_TRIES || !isErrno(thrown, ...TEMPORARILY_LOCKED)) throw thrown;
}

export {
  sleepSync,
  renamePatientlySync
};
