import { type Messages, setupI18n } from '@lingui/core';
import { createContext, type ReactNode, useContext, useState } from 'react';
import type { Catalog } from '#web/server/build.ts';
import { directionOf, type Locale, localeCookie, locales } from '#web/server/locale.ts';
import type align from '../locales/en/align.json';
import type apiKeys from '../locales/en/apiKeys.json';
import type assignments from '../locales/en/assignments.json';
import type audit from '../locales/en/audit.json';
import type billing from '../locales/en/billing.json';
import type common from '../locales/en/common.json';
import type demo from '../locales/en/demo.json';
import type documents from '../locales/en/documents.json';
import type drafts from '../locales/en/drafts.json';
import type editor from '../locales/en/editor.json';
import type estimates from '../locales/en/estimates.json';
import type general from '../locales/en/general.json';
import type inbox from '../locales/en/inbox.json';
import type jobs from '../locales/en/jobs.json';
import type keys from '../locales/en/keys.json';
import type languages from '../locales/en/languages.json';
import type members from '../locales/en/members.json';
import type notifications from '../locales/en/notifications.json';
import type operator from '../locales/en/operator.json';
import type problems from '../locales/en/problems.json';
import type quality from '../locales/en/quality.json';
import type review from '../locales/en/review.json';
import type security from '../locales/en/security.json';
import type sets from '../locales/en/sets.json';
import type signin from '../locales/en/signin.json';
import type storage from '../locales/en/storage.json';
import type styleGuides from '../locales/en/styleGuides.json';
import type terms from '../locales/en/terms.json';
import type tools from '../locales/en/tools.json';
import type translate from '../locales/en/translate.json';
import type usage from '../locales/en/usage.json';
import { deployment } from './deployment.ts';

/** The English catalogs by area: each file of `locales/<language>/` is an area. */
interface Areas {
  align: typeof align;
  apiKeys: typeof apiKeys;
  assignments: typeof assignments;
  audit: typeof audit;
  billing: typeof billing;
  common: typeof common;
  demo: typeof demo;
  documents: typeof documents;
  drafts: typeof drafts;
  editor: typeof editor;
  estimates: typeof estimates;
  general: typeof general;
  inbox: typeof inbox;
  jobs: typeof jobs;
  keys: typeof keys;
  languages: typeof languages;
  members: typeof members;
  notifications: typeof notifications;
  operator: typeof operator;
  problems: typeof problems;
  quality: typeof quality;
  review: typeof review;
  security: typeof security;
  sets: typeof sets;
  signin: typeof signin;
  storage: typeof storage;
  styleGuides: typeof styleGuides;
  terms: typeof terms;
  tools: typeof tools;
  translate: typeof translate;
  usage: typeof usage;
}

/** The ID of a message: its area and key, such as `signin.title`. */
export type MessageId = { [A in keyof Areas]: `${A}.${keyof Areas[A] & string}` }[keyof Areas];

/** Values of a message's placeholders (ICU MessageFormat). */
export type MessageValues = Record<string, string | number>;

/** Formats a message in the language of the interface. */
export type Translate = (id: MessageId, values?: MessageValues) => string;

interface Interface {
  locale: Locale;
  t: Translate;
  /**
   * Loads the messages of a language and shows the interface in it. The selection is stored in a cookie that the server
   * also reads for its own pages.
   */
  choose(locale: Locale): Promise<void>;
}

const InterfaceContext = createContext<Interface | null>(null);

const i18n = setupI18n();
/** The loaded parts of the messages. */
const parts: (keyof Catalog)[] = ['signIn'];

/** Loads the messages of the sign-in screens, in the language of the page. */
export function loadInterface(): Promise<void> {
  const asked = document.documentElement.lang;
  return activate(locales.find((one) => one === asked) ?? 'en');
}

/** Loads another part of the messages. Call this before a screen is shown that needs it. */
export async function loadWords(part: keyof Catalog): Promise<void> {
  if (parts.includes(part)) return;
  i18n.load(i18n.locale, await loadCatalog(i18n.locale as Locale, part));
  parts.push(part);
}

async function activate(locale: Locale): Promise<void> {
  const catalogs = await Promise.all(parts.map((part) => loadCatalog(locale, part)));
  i18n.loadAndActivate({ locale, messages: Object.assign({}, ...catalogs) });
}

async function loadCatalog(locale: Locale, part: keyof Catalog): Promise<Messages> {
  const { messages } = await import(/* @vite-ignore */ deployment.catalogs[locale][part]);
  return messages;
}

export function InterfaceProvider({ children }: { children: ReactNode }) {
  const [locale, setLocale] = useState(i18n.locale as Locale);
  const value: Interface = {
    locale,
    t: (id, values) => i18n._(id, values),
    async choose(next) {
      await activate(next);
      document.documentElement.lang = next;
      document.documentElement.dir = directionOf(next);
      const secure = location.protocol === 'https:';
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we support
      document.cookie = `${localeCookie(secure)}=${next}; Path=/; Max-Age=31536000; SameSite=Lax${secure ? '; Secure' : ''}`;
      setLocale(next);
    },
  };
  return <InterfaceContext value={value}>{children}</InterfaceContext>;
}

/** The language of the interface, and how to change it. */
export function useInterface(): Interface {
  const value = useContext(InterfaceContext);
  if (!value) throw new Error('there is no InterfaceProvider around this component');
  return value;
}

/** Formats messages; the component is rendered again when the language changes. */
export function useT(): Translate {
  return useInterface().t;
}
