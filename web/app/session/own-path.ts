/** Only a path of this application: another site's address would make the sign-in a way to send people there. */
export function isOwnPath(path: string): boolean {
  return /^\/(app|jobs|billing)([/?#]|$)/.test(path);
}
