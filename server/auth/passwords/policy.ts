import { AppError } from '#server/errors.ts';
import { countCharacters } from '#server/metering/service.ts';

/** Unicode characters; the request schema asks for 8 already, with another status (A 4.2). */
const minimumLength = 12;
const maximumLength = 1024;

let common: Promise<ReadonlySet<string>> | undefined;

/** The ~50,000 most common passwords of @zxcvbn-ts/language-common (MIT), lowercase; loaded at first use. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) =>
      new Set((dictionary['passwords-common'] as string[]).map((word) => word.toLowerCase())),
  );
  return common;
}

/** One form for one password, however the keyboard composed its characters. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * The policy of A 4.2 for a normalized password and a lowercase address.
 * @throws AppError 400 that says which rule failed
 */
export async function checkPasswordPolicy(password: string, email: string): Promise<void> {
  const refuse = (rule: string) => new AppError('malformed_request', `password ${rule}`);
  const length = countCharacters(password);
  if (length < minimumLength) throw refuse(`too short: at least ${minimumLength} characters`);
  if (length > maximumLength) throw refuse(`too long: at most ${maximumLength} characters`);
  const lower = password.toLowerCase();
  if (lower === email.slice(0, email.lastIndexOf('@'))) throw refuse('must not equal the email local part');
  if ((await commonPasswords()).has(lower)) throw refuse('too common');
}
