import { readDraftKeys } from '../client.ts';
import { onSessionChange, sessionState } from '../session/keeper.ts';

/*
 * Drafts are on the device only as ciphertext (AES-256-GCM). The service derives the keys of each person and gives them after a sign-in;
 * they are in the memory of this page, where no script can read them, and are forgotten at the sign-out.
 */

/** A value as it is stored. It belongs to the key of its record: under another one it does not open. */
export interface Sealed {
  iv: Uint8Array<ArrayBuffer>;
  sealed: ArrayBuffer;
  /** Milliseconds since 1970; outside of the ciphertext, so that it expires without a key. */
  changedAt: number;
}

/** What a sealed value holds, and whether another key than the present one sealed it. */
export interface Opened {
  value: unknown;
  isOld: boolean;
}

type Keys = readonly [CryptoKey, ...CryptoKey[]];

/** Milliseconds between attempts to get the keys. */
const pause = 2000;

let asked: { person: string; keys: Promise<Keys>; isThere: boolean } | undefined;

/** `tenant:user` of who is signed in, or has to sign in again. */
export function currentPerson(): string | undefined {
  const state = sessionState();
  if (state.kind !== 'signed_in' && state.kind !== 'expired') return undefined;
  return `${state.tokens.user.tenant_id}:${state.tokens.user.user_id}`;
}

/** Whether the keys of a person have arrived. */
export function hasKeys(person: string): boolean {
  return asked?.person === person && asked.isThere;
}

/** Asks for the keys of who is signed in, unless they are here: what is typed next need not wait for them. */
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

/** Forgets the keys, so that who uses the device next cannot use them. */
export function forgetKeys(): void {
  asked = undefined;
}

/** Seals a value for its record. Waits while the service cannot be reached. @throws Error if the person has signed out */
export async function seal(person: string, key: string, value: unknown, changedAt: number): Promise<Sealed> {
  const [present] = await keysOf(person);
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  return { iv, sealed: await crypto.subtle.encrypt(parameters(key, iv), present, plain), changedAt };
}

/**
 * Opens what was sealed for a record. Waits while the service cannot be reached.
 * @returns undefined if none of the keys opens it
 * @throws Error if the person has signed out
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
  if (asked?.person !== person) throw new Error('the person of this draft has signed out');
  return asked.keys;
}

async function readKeys(person: string): Promise<Keys> {
  for (;;) {
    const raw = await readDraftKeys().catch(() => undefined);
    if (currentPerson() !== person) throw new Error('the person of this draft has signed out');
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
