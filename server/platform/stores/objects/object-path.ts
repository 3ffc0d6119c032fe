/**
 * Checks the path of an object or folder in a store: two or more parts of letters, digits and `_-.`, none of only
 * dots, and the first does not begin with one. So a path cannot leave the store, and needs no escaping in URLs.
 * @returns the path
 * @throws {Error} for another path
 */
export function checkedPath(path: string): string {
  if (!path.includes('/')) throw notAPath();
  return checkedFolder(path);
}

/** The same for a folder, which may be at the top of the store: one part or more. */
export function checkedFolder(path: string): string {
  if (!/^[\w-][\w.-]*(\/[\w.-]+)*$/.test(path) || path.split('/').some((part) => /^\.+$/.test(part)))
    throw notAPath();
  return path;
}

function notAPath(): Error {
  return new Error('not a path of the store');
}
