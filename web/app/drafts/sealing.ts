import { readDraftKeys } from '../client.ts';
import { onSessionChange, sessionState } from '../session/keeper.ts';

/*
 * Drafts are encrypted on the device (AES-256-GCM). The service derives each member's keys and returns them after a sign-in.
 * The page keeps them in memory as non-extractable keys, and forgets them at sign-out.
 */

/** An encrypted value. It can only be decrypted with the key of the record that it was stored under. */
export interface Sealed {
  iv: Uint8Array<ArrayBuffer>;
  sealed: ArrayBuffer;
  /**
   * Milliseconds since 1970. Not encrypted, so that the record can be deleted at its expiry without a decryption key.
   */
  changedAt: number;
}

/** A decrypted value. `isOld` is true if a former key encrypted it. */
export interface Opened {
  value: unknown;
  isOld: boolean;
}

type Keys = readonly [CryptoKey, ...CryptoKey[]];

/** Milliseconds between attempts to get the keys. */
const pause = 2000;

let asked: { person: string; keys: Promise<Keys>; isThere: boolean } | undefined;

/** `tenant:user` of the member who is signed in, or whose session has expired. */
export function currentPerson(): string | undefined {
  const state = sessionState();
  if (state.kind !== 'signed_in' && state.kind !== 'expired') return undefined;
  return `${state.tokens.user.tenant_id}:${state.tokens.user.user_id}`;
}

/** Whether a member's keys are loaded. */
export function hasKeys(person: string): boolean {
  return asked?.person === person && asked.isThere;
}

/** Loads the member's keys if they are not loaded yet, so that the next text is encrypted without a wait. */
export function prepareKeys(): void {
  const person = currentPerson();
  if (!person || asked?.person === person) return;
  const asking = { person, keys: readKeys(person), isThere: false };
  asked = asking;
  asking.keys.then(
    () => {
      asking.isThere = true;
    },
    () => {
      if (asked === asking) asked = undefined;
    },
  );
}

/** Forgets the keys, so that the next user of the device cannot use them. */
export function forgetKeys(): void {
  asked = undefined;
}

/** Encrypts a value for its record. Waits while the service cannot be reached. @throws Error if the member has signed out */
export async function seal(person: string, key: string, value: unknown, changedAt: number): Promise<Sealed> {
  const [present] = await keysOf(person);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  return { iv, sealed: await crypto.subtle.encrypt(parameters(key, iv), present, plain), changedAt };
}

/**
 * Decrypts a record. Waits while the service cannot be reached.
 * @returns undefined if none of the keys decrypts the record
 * @throws Error if the member has signed out
 */
export async function open(person: string, key: string, { iv, sealed }: Sealed): Promise<Opened | undefined> {
  const keys = await keysOf(person);
  for (const one of keys) {
    const plain = await crypto.subtle.decrypt(parameters(key, iv), one, sealed).catch(() => undefined);
    if (plain) return { value: JSON.parse(new TextDecoder().decode(plain)), isOld: one !== keys[0] };
  }
  return undefined;
}

function keysOf(person: string): Promise<Keys> {
  if (asked?.person !== person) prepareKeys();
  if (asked?.person !== person) throw new Error('the owner of this draft has signed out');
  return asked.keys;
}

async function readKeys(person: string): Promise<Keys> {
  for (;;) {
    const raw = await readDraftKeys().catch(() => undefined);
    if (currentPerson() !== person) throw new Error('the owner of this draft has signed out');
    if (raw) return (await Promise.all(raw.map(importKey))) as [CryptoKey, ...CryptoKey[]];
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function importKey(raw: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

function parameters(key: string, iv: Uint8Array<ArrayBuffer>): AesGcmParams {
  return { name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(key) };
}

onSessionChange(prepareKeys);
prepareKeys();
