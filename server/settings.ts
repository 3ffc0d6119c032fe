import { environment, type Settings, SettingsError } from './settings/environment.ts';
import { refuseFormerNames } from './settings/former-names.ts';
import { readSecretFiles } from './settings/secrets.ts';

export { type EngineSettings, type Settings, SettingsError, settingNames } from './settings/environment.ts';

/**
 * Reads the settings once. An empty variable counts as unset, as in compose files.
 * @throws SettingsError with a one-line message that names the variable
 */
export function readSettings(env: NodeJS.ProcessEnv = process.env): Settings {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  refuseFormerNames(present);
  const fromFiles = readSecretFiles(present);
  const read = environment.safeParse({ ...present, ...fromFiles });
  if (!read.success) {
    const issue = read.error.issues[0];
    const name = String(issue?.path[0]);
    throw new SettingsError(`${name in fromFiles ? `${name}_FILE` : name}: ${issue?.message}`);
  }
  return freeze(read.data);
}

/** The settings of an empty environment, for descriptions of the API. */
export const defaultSettings = readSettings({});

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(freeze);
  return Object.freeze(value);
}

/**
 * Returns the URL of the service, for links, redirects and browsers. It never comes from the request's Host header,
 * which a client can forge.
 */
export function publicAddress({ BASE_URL, HOST, PORT }: Settings): string {
  return BASE_URL ?? `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
}

/**
 * Returns the path of the service's public URL, without a slash at its end. It is the prefix of each path in a page.
 */
export function basePathOf(settings: Settings): string {
  return new URL(publicAddress(settings)).pathname.replace(/\/+$/, '');
}
