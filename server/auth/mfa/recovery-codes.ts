import { randomInt } from 'node:crypto';
import type { Tx } from '#db/client.ts';
import { keyedHash } from '#server/encryption.ts';
import { countRecoveryCodes, deleteRecoveryCode, type MemberRow, replaceRecoveryCodes } from './queries.ts';

/** Without the characters that are taken for one another on paper: 0 and o, 1, i and l. */
const alphabet = '23456789abcdefghjkmnpqrstuvwxyz';
const half = 5;
const setSize = 10;
/** `xxxxx-xxxxx` (A 5.3 rule 5), with or without its dash. */
const form = new RegExp(`^([${alphabet}]{${half}})-?([${alphabet}]{${half}})$`);

/** Gives a member a new set of ten, in place of the one before. They are told this once. */
export async function issueRecoveryCodes(tx: Tx, secretsKey: Buffer, user: MemberRow): Promise<string[]> {
  const codes = new Set<string>();
  while (codes.size < setSize) codes.add(`${randomHalf()}-${randomHalf()}`);
  await replaceRecoveryCodes(
    tx,
    user,
    [...codes].map((code) => hashOf(secretsKey, user, code)),
  );
  return [...codes];
}

/** The recovery code that was typed, as it was issued; undefined for what has not the shape of one. */
export function readRecoveryCode(typed: string): string | undefined {
  const [, first, second] = form.exec(typed.trim().toLowerCase()) ?? [];
  return first && second ? `${first}-${second}` : undefined;
}

/** Uses a recovery code up; answers how many are left, undefined where it is none of the member's. */
export async function redeemRecoveryCode(
  tx: Tx,
  secretsKey: Buffer,
  user: MemberRow,
  code: string,
): Promise<number | undefined> {
  const used = await deleteRecoveryCode(tx, user, hashOf(secretsKey, user, code));
  return used ? countRecoveryCodes(tx, user) : undefined;
}

/** Under the member's id, so that equal codes of two members are not seen to be equal. */
function hashOf(secretsKey: Buffer, { tenantId, userId }: MemberRow, code: string): Uint8Array {
  return keyedHash(secretsKey, 'recovery code', `${tenantId}/${userId}/${code}`);
}

function randomHalf(): string {
  return Array.from({ length: half }, () => alphabet[randomInt(alphabet.length)]).join('');
}
