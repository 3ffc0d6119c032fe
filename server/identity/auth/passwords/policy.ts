import { AppError } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';
import { hashOnThread } from './hashing.ts';

/** Minimum length in Unicode characters. The request schema already rejects fewer than 8, with another status. */
const minimumLength = 12;
const maximumLength = 1024;

/** Normalizes a password, so that it does not matter how the keyboard composed its characters. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/**
 * Checks a normalized password: its length, that it is not the part of the email address before the @, and that it is not
 * easily guessed (decision 131). The guesses are estimated on another thread.
 * @param email in lower case
 * @param workspace the name of the workspace
 * @throws AppError 400; the message names the failed rule
 */
export async function checkPasswordPolicy(password: string, email: string, workspace: string): Promise<void> {
  const refuse = (rule: string) => new AppError('malformed_request', `password ${rule}`);
  const length = countCodePoints(password);
  if (length < minimumLength) throw refuse(`too short: at least ${minimumLength} characters`);
  if (length > maximumLength) throw refuse(`too long: at most ${maximumLength} characters`);
  if (password.toLowerCase() === email.slice(0, email.lastIndexOf('@')))
    throw refuse('must not equal the email local part');
  const result = await hashOnThread({ password, own: wordsOf('LinguaLoop', workspace, ...email.split('@')) });
  if (!('isEasy' in result)) throw new Error('a password could not be estimated');
  if (result.isEasy) throw refuse('too common');
}

const maxWords = 40;

/** Returns texts that someone who guesses may know, their words, and each text without spaces and signs. */
function wordsOf(...texts: string[]): string[] {
  const words = texts
    .map((text) => text.toLowerCase())
    .flatMap((text) => {
      const parts = text.split(/[^\p{L}\p{N}]+/u).filter((part) => part.length > 2);
      return [text, parts.join(''), ...parts];
    });
  return [...new Set(words)].slice(0, maxWords);
}
