/** The version of this package, as package.json has it. */
export const version = '0.1.0';

/** The version of the API's contract that this release speaks; sent with every request. */
export const apiVersion = '2026-09-01';
