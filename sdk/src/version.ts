/** The version of this package, as in package.json. */
export const version = '1.0.0';

/** The API version that this release of the SDK uses. Sent with every request. */
export const apiVersion = '2026-09-01';
