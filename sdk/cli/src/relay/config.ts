import type { EventType } from '../../../src/index.ts';

/** A receiver of events. */
export interface Destination {
  /** Also the name of its files in the state directory: lowercase letters, digits and hyphens. */
  name: string;
  url: string;
  /** The keys that sign each request. During a rotation, the old and the new one. Empty for receivers that check none. */
  secrets: readonly Uint8Array[];
  /** Undefined for all types. */
  types: readonly EventType[] | undefined;
  format: 'standard' | 'slack';
  /** Milliseconds for one request. */
  timeoutMs: number;
  /** Milliseconds after an event's first failure after which it goes to the dead letters. */
  giveUpMs: number;
  /** Maximum requests at the same time. */
  concurrency: number;
}

export interface RelayConfig {
  destinations: readonly Destination[];
}

/** An invalid configuration, or state that the relay cannot use. The message names the field or file. */
export class RelayError extends Error {
  override name = 'RelayError';
}

/** The service allows a workspace 10 streams, and each destination has one. */
const maxDestinations = 8;

/** Standard Webhooks requires at least 24 bytes. */
const keyBytes = { min: 24, max: 64 };

/**
 * Reads the configuration from the parsed JSON of its file. A URL or secret that begins with `$` names an environment
 * variable.
 * @throws RelayError that names the field
 */
export function readConfig(json: unknown, env: Readonly<Record<string, string | undefined>>): RelayConfig {
  const { destinations } = fields(json, 'the configuration', ['destinations']);
  if (!Array.isArray(destinations) || destinations.length === 0 || destinations.length > maxDestinations)
    throw new RelayError(`destinations: must be a list of 1 to ${maxDestinations} destinations`);
  const read = destinations.map((one, n) => readDestination(one, `destinations[${n}]`, env));
  const names = new Set(read.map(({ name }) => name));
  if (names.size < read.length) throw new RelayError('destinations: each name may be used once');
  return { destinations: read };
}

const known = [
  'name',
  'url',
  'secrets',
  'types',
  'format',
  'timeout_seconds',
  'give_up_hours',
  'concurrency',
];

function readDestination(
  json: unknown,
  at: string,
  env: Readonly<Record<string, string | undefined>>,
): Destination {
  const given = fields(json, at, known);
  const { name, types, format = 'standard' } = given;
  if (typeof name !== 'string' || !/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    throw new RelayError(`${at}.name: must be 1 to 40 lowercase letters, digits and hyphens`);
  if (format !== 'standard' && format !== 'slack')
    throw new RelayError(`${at}.format: must be standard or slack`);
  if (types !== undefined && !isTexts(types))
    throw new RelayError(`${at}.types: must be a list of types of events`);
  const secrets = given['secrets'] ?? [];
  if (!isTexts(secrets) && !(Array.isArray(secrets) && format === 'slack'))
    throw new RelayError(`${at}.secrets: must be a list of secrets that begin with whsec_`);
  return {
    name,
    url: readUrl(expand(given['url'], `${at}.url`, env), `${at}.url`),
    secrets: (secrets as string[]).map((secret, n) =>
      readSecret(expand(secret, `${at}.secrets[${n}]`, env), `${at}.secrets[${n}]`),
    ),
    types: types as EventType[] | undefined,
    format,
    timeoutMs: number(given, 'timeout_seconds', at, 15, 1, 120) * 1000,
    giveUpMs: number(given, 'give_up_hours', at, 72, 0, 720) * 3_600_000,
    concurrency: Math.ceil(number(given, 'concurrency', at, 4, 1, 64)),
  };
}

function fields(json: unknown, at: string, names: readonly string[]): Record<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new RelayError(`${at}: must be an object`);
  const unknown = Object.keys(json).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new RelayError(`${at}: unknown field ${unknown}`);
  return json as Record<string, unknown>;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

function expand(value: unknown, at: string, env: Readonly<Record<string, string | undefined>>): string {
  if (typeof value !== 'string' || value === '') throw new RelayError(`${at}: must be a text`);
  if (!value.startsWith('$')) return value;
  const found = env[value.slice(1)];
  if (!found) throw new RelayError(`${at}: the environment variable ${value.slice(1)} is not set`);
  return found;
}

/** The value is not part of the message: the URL of a Slack webhook is a secret. */
function readUrl(text: string, at: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '')
    throw new RelayError(`${at}: must be an http or https URL without a user and a password`);
  return url.href;
}

function readSecret(text: string, at: string): Uint8Array {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const key = Buffer.from(base64 ?? '', 'base64');
  if (key.length < keyBytes.min || key.length > keyBytes.max)
    throw new RelayError(`${at}: must be whsec_ and the base64 of ${keyBytes.min} to ${keyBytes.max} bytes`);
  return key;
}

function number(
  given: Record<string, unknown>,
  name: string,
  at: string,
  fallback: number,
  min: number,
  max: number,
): number {
  const value = given[name] ?? fallback;
  if (typeof value !== 'number' || !(value >= min && value <= max))
    throw new RelayError(`${at}.${name}: must be a number from ${min} to ${max}`);
  return value;
}
