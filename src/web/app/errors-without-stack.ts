/* React creates an error while it is evaluated, as a value to compare with. If developer tools or a measuring tool are
   connected, the browser collects the positions of the error's stack and for that parses the whole script once more,
   in the same task. Import this module before React, and call `restoreErrors` after the imports. */

const BuiltInError = globalThis.Error;

globalThis.Error = (() => Object.create(BuiltInError.prototype)) as ErrorConstructor;

export function restoreErrors(): void {
  globalThis.Error = BuiltInError;
}
