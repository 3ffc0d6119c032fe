/**
 * Checks the path of an object or folder in a store: two parts or more, of letters, digits and `_-.`, none of dots alone. So a
 * path cannot leave the store, and needs no escaping in addresses.
 * @returns the path
 * @throws {Error} for another path
 */
export function checkedPath(path: string): string {
  if (!/^[\w-]+(\/[\w.-]+)+$/.test(path) || path.split('/').some((part) => /^\.+$/.test(part)))
    throw new Error('not a path of the store');
  return path;
}
