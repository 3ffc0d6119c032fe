import { mailLanguages } from '#server/settings.ts';
import { htmlOf, type Run, textOf } from './layout.ts';
import type { SecurityEvent } from './outbox.ts';
import type { MailLanguage } from './preferences.ts';
import { ar } from './words/ar.ts';
import { de } from './words/de.ts';
import { en } from './words/en.ts';
import { es } from './words/es.ts';
import { fr } from './words/fr.ts';
import { ja } from './words/ja.ts';
import { pt } from './words/pt.ts';
import type { MailWords, Plural } from './words/words.ts';

/** The facts of a mail: names, numbers, times and the token of a link. No texts, and no names of files. */
export type MailFacts = { workspace: string } & (
  | { kind: 'invite'; token: string; proof: string; by: string; expiresAt: Date }
  | { kind: 'confirmation'; token: string }
  | { kind: 'reset_link'; token: string; expiresAt: Date }
  | { kind: 'security'; event: SecurityEvent; at: Date }
  | { kind: 'digest'; items: number; assigned: number; dueSoon: number; overdue: number }
  | { kind: 'documents'; items: number; failedItems: number; documentId: string | null }
);

export interface WrittenMail {
  subject: string;
  text: string;
  html: string;
}

const words: Record<MailLanguage, MailWords> = { en, fr, de, es, pt, ar, ja };

/** The number of items from which a digest does not count. */
export const maxCounted = 10_000;
/** Maximum characters of the name of a workspace. */
const maxNameLength = 80;

/** A heading that is also the subject, the paragraphs, and the link of a mail. */
interface Content {
  heading: Run[];
  paragraphs: Run[][];
  action: { name: string; path: string };
  footer: Run[][];
}

/**
 * Writes a mail.
 * @param address the public URL of the service, without a slash at its end
 * @param unsubscribeUrl null for a mail that cannot be switched off
 */
export function writeMail(
  facts: MailFacts,
  {
    language: given,
    address,
    unsubscribeUrl,
  }: { language: string; address: string; unsubscribeUrl: string | null },
): WrittenMail {
  const language = mailLanguages.find((one) => one === given) ?? 'en';
  const own = words[language];
  const { heading, paragraphs, action, footer } = contentOf(facts, own, language);
  // A run of a value in a subject is isolated by characters, in a language that is written from right to left.
  const [open, close] = language === 'ar' ? ['\u2068', '\u2069'] : ['', ''];
  const plain = (runs: Run[]) =>
    runs.map((run) => (run.isValue ? `${open}${run.text}${close}` : run.text)).join('');
  const subject = plain(heading);
  const mail = {
    language,
    direction: language === 'ar' ? ('rtl' as const) : ('ltr' as const),
    heading: subject,
    paragraphs,
    action: { name: action.name, url: address + action.path },
    link: own.link,
    footer,
    unsubscribe: unsubscribeUrl === null ? null : { name: own.unsubscribe, url: unsubscribeUrl },
  };
  return { subject, text: textOf(mail), html: htmlOf(mail) };
}

function contentOf(facts: MailFacts, own: MailWords, language: MailLanguage): Content {
  const workspace = shownName(facts.workspace);
  const fill = (template: string, values: Record<string, string> = {}) =>
    runsOf(template, { workspace, ...values });
  const plural = (forms: Plural, n: number) => {
    const form = forms[new Intl.PluralRules(language).select(n)] ?? forms.other;
    const shown = new Intl.NumberFormat(language).format(Math.min(n, maxCounted));
    return fill(form.replace('{n}', n > maxCounted ? `${shown}+` : shown));
  };
  const until = (template: string, time: Date) => fill(template, { when: timeIn(language, time) });
  switch (facts.kind) {
    case 'invite': {
      const { subject, lead, leadByOperator, action, until: limit, why } = own.invite;
      return {
        heading: fill(subject),
        paragraphs: [
          facts.by.includes('@') ? fill(lead, { by: facts.by }) : fill(leadByOperator),
          until(limit, facts.expiresAt),
        ],
        action: {
          name: action,
          path: `/signin#invite_token=${encodeURIComponent(facts.token)}&email_proof=${facts.proof}`,
        },
        footer: [fill(why)],
      };
    }
    case 'confirmation': {
      const { subject, lead, action, why } = own.confirmation;
      return {
        heading: fill(subject),
        paragraphs: [fill(lead)],
        action: { name: action, path: `/mail/confirm/${facts.token}` },
        footer: [fill(why)],
      };
    }
    case 'reset_link': {
      const { subject, lead, action, until: limit, why } = own.resetLink;
      return {
        heading: fill(subject),
        paragraphs: [fill(lead), until(limit, facts.expiresAt)],
        action: { name: action, path: `/signin#reset_token=${facts.token}` },
        footer: [fill(why)],
      };
    }
    case 'security': {
      const { lead, action, why, ...subjects } = own.security;
      const subject = subjects[facts.event];
      return {
        heading: fill(subject),
        paragraphs: [until(lead, facts.at), fill(why)],
        action: { name: action, path: '/app/settings/security' },
        footer: [fill(own.why)],
      };
    }
    case 'digest': {
      const { subject, lead, action } = own.digest;
      const ofMember = (['assigned', 'dueSoon', 'overdue'] as const).filter((name) => facts[name] > 0);
      return {
        heading: plural(subject, facts.items),
        paragraphs: [
          plural(lead, facts.items),
          ...ofMember.map((name) => plural(own.digest[name], facts[name])),
        ],
        action: { name: action, path: '/app' },
        footer: [fill(own.why)],
      };
    }
    case 'documents': {
      const { translated, failed, lead, openOne, openAll } = own.documents;
      const { items, failedItems, documentId } = facts;
      const lines = [
        ...(items > failedItems ? [plural(translated, items - failedItems)] : []),
        ...(failedItems > 0 ? [plural(failed, failedItems)] : []),
      ];
      return {
        heading: lines.flatMap((line, index) =>
          index === 0 ? line : [{ text: ' ', isValue: false }, ...line],
        ),
        paragraphs: [fill(lead)],
        action:
          documentId === null
            ? { name: openAll, path: '/app/files' }
            : { name: openOne, path: `/app/edit/documents/${encodeURIComponent(documentId)}` },
        footer: [fill(own.why)],
      };
    }
  }
}

/** Splits a template at its placeholders. */
function runsOf(template: string, values: Record<string, string>): Run[] {
  return template.split(/(\{\w+\})/).flatMap((part): Run[] => {
    const value = /^\{(\w+)\}$/.exec(part)?.[1];
    if (value === undefined) return part === '' ? [] : [{ text: part, isValue: false }];
    return [{ text: values[value] ?? '', isValue: true }];
  });
}

/**
 * Returns the name of a workspace as a mail may show it: on one line, and without anything that a mail program would
 * show as a link. Otherwise a workspace with such a name could send links of its choice to any address.
 */
export function shownName(name: string): string {
  const plain = name
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[.:/\\@。．｡](?=\S)/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const characters = [...plain];
  return characters.length > maxNameLength ? `${characters.slice(0, maxNameLength - 1).join('')}…` : plain;
}

function timeIn(language: MailLanguage, time: Date): string {
  const format = new Intl.DateTimeFormat(language, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  });
  return `${format.format(time)} UTC`;
}
