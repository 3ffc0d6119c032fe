import { z } from 'zod';
import { AppError } from '#server/errors.ts';

/** RFC 5321, 4.5.3.1: at most 64 characters before the @ and 255 after it. */
const emailAddress = z.email().max(320);

/**
 * Returns an email address in the form in which addresses are stored and compared: in lower case, without spaces around
 * it. Text with other characters than ASCII stays as it is, and is not an email address: some of these characters become
 * ASCII letters in lower case (the Kelvin sign becomes `k`), so that it would become the address of another person.
 */
export function normalizeEmail(text: string): string {
  return /\P{ASCII}/u.test(text) ? text : text.trim().toLowerCase();
}

/**
 * Returns the normalized email address.
 * @throws AppError 400 for an invalid address
 */
export function requireEmail(text: string): string {
  const email = normalizeEmail(text);
  if (!isEmail(email)) throw new AppError('malformed_request', 'invalid email address');
  return email;
}

/** Whether the text is an email address as it stands. Letters may be in upper case. */
export function isEmail(text: string): boolean {
  return emailAddress.safeParse(text).success;
}
