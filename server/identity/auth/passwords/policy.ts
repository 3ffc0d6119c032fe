import { AppError } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';

/** Minimum length in Unicode characters. The request schema already rejects fewer than 8, with another status. */
const minimumLength = 12;
const maximumLength = 1024;

let common: Promise<ReadonlySet<string>> | undefined;

/** Loads the about 50,000 most common passwords of @zxcvbn-ts/language-common (MIT), in lower case, on first use. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Set((dictionary['passwords-common'] as string[]).map((word) => word.toLowerCase())),
  );
  return common;
}

/** Normalizes a password, so that it does not matter how the keyboard composed its characters. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Checks a normalized password: its length, that it is not a common password, and that it is not the part of the email
 * address before the @.
 * @param email in lower case
 * @throws AppError 400; the message names the failed rule
 */
export async function checkPasswordPolicy(password: string, email: string): Promise<void> {
  const refuse = (rule: string) => new AppError('malformed_request', `password ${rule}`);
  const length = countCodePoints(password);
  if (length < minimumLength) throw refuse(`too short: at least ${minimumLength} characters`);
  if (length > maximumLength) throw refuse(`too long: at most ${maximumLength} characters`);
  const lower = password.toLowerCase();
  if (lower === email.slice(0, email.lastIndexOf('@'))) throw refuse('must not equal the email local part');
  if ((await commonPasswords()).has(lower)) throw refuse('too common');
}
