import { mailLanguages } from '#server/settings/kinds.ts';
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
  | { kind: 'reset_link'; token: string; expiresAt: Date; isOwn?: boolean }
  | { kind: 'security'; event: SecurityEvent; at: Date }
  | { kind: 'digest'; items: number; assigned: number; dueSoon: number; overdue: number }
  | { kind: 'documents'; items: number; failedItems: number; documentId: string | null }
  /** `subject` as in `mails.subject_id`. */
  | { kind: 'decisions'; items: number; rejected: number; subject: string | null }
);

interface WrittenMail {
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
  const write = contents[facts.kind] as (facts: MailFacts, own: MailWords, writer: Writer) => Content;
  const { heading, paragraphs, action, footer } = write(facts, own, writerIn(language, facts.workspace));
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

/** Fills the templates of a language. */
function writerIn(language: MailLanguage, name: string) {
  const workspace = shownName(name);
  const fill = (template: string, values: Record<string, string> = {}) =>
    runsOf(template, { workspace, ...values });
  const plural = (forms: Plural, n: number) => {
    const form = forms[new Intl.PluralRules(language).select(n)] ?? forms.other;
    const shown = new Intl.NumberFormat(language).format(Math.min(n, maxCounted));
    return fill(form.replace('{n}', n > maxCounted ? `${shown}+` : shown));
  };
  return {
    fill,
    plural,
    both: (...counts: (readonly [Plural, number])[]) =>
      counts
        .filter(([, n]) => n > 0)
        .flatMap(([forms, n], index) =>
          index === 0 ? plural(forms, n) : [{ text: ' ', isValue: false }, ...plural(forms, n)],
        ),
    until: (template: string, time: Date) => fill(template, { when: timeIn(language, time) }),
  };
}

type Kind = MailFacts['kind'];
type Writer = ReturnType<typeof writerIn>;

const editorPath = (documentId: string) => `/app/edit/documents/${encodeURIComponent(documentId)}`;

/** The content of each kind of mail. */
const contents: {
  [K in Kind]: (facts: Extract<MailFacts, { kind: K }>, own: MailWords, writer: Writer) => Content;
} = {
  invite({ by, expiresAt, token, proof }, { invite }, { fill, until }) {
    return {
      heading: fill(invite.subject),
      paragraphs: [
        by.includes('@') ? fill(invite.lead, { by }) : fill(invite.leadByOperator),
        until(invite.until, expiresAt),
      ],
      action: {
        name: invite.action,
        path: `/signin#invite_token=${encodeURIComponent(token)}&email_proof=${proof}`,
      },
      footer: [fill(invite.why)],
    };
  },
  confirmation({ token }, { confirmation: { subject, lead, action, why } }, { fill }) {
    return {
      heading: fill(subject),
      paragraphs: [fill(lead)],
      action: { name: action, path: `/mail/confirm/${token}` },
      footer: [fill(why)],
    };
  },
  reset_link({ token, isOwn, expiresAt }, { resetLink }, { fill, until }) {
    return {
      heading: fill(resetLink.subject),
      paragraphs: [fill(isOwn ? resetLink.leadOwn : resetLink.lead), until(resetLink.until, expiresAt)],
      action: { name: resetLink.action, path: `/signin#reset_token=${token}` },
      footer: [fill(resetLink.why)],
    };
  },
  security({ event, at }, own, { fill, until }) {
    const isReview = event === 'second_review';
    const { lead, why, action } = isReview ? own.secondReview : own.security;
    return {
      heading: fill(isReview ? own.secondReview.subject : own.security[event]),
      paragraphs: [until(lead, at), fill(why)],
      action: { name: action, path: `/app/settings/${isReview ? 'members' : 'security'}` },
      footer: [fill(own.why)],
    };
  },
  digest(facts, { digest, why }, { fill, plural }) {
    const ofMember = (['assigned', 'dueSoon', 'overdue'] as const).filter((name) => facts[name] > 0);
    return {
      heading: plural(digest.subject, facts.items),
      paragraphs: [
        plural(digest.lead, facts.items),
        ...ofMember.map((name) => plural(digest[name], facts[name])),
      ],
      action: { name: digest.action, path: '/app' },
      footer: [fill(why)],
    };
  },
  decisions({ items, rejected, subject }, { decisions, why }, { fill, both }) {
    const [kind, id] = subject?.split(' ') ?? [];
    const ofDocument = id ? editorPath(id) : '/app/files';
    const ofJob = id ? `/jobs/${encodeURIComponent(id)}` : '/jobs';
    return {
      heading: both([decisions.approved, items - rejected], [decisions.rejected, rejected]),
      paragraphs: [fill(decisions.lead)],
      action: { name: decisions.open, path: kind === 'document' ? ofDocument : ofJob },
      footer: [fill(why)],
    };
  },
  documents({ items, failedItems, documentId }, { documents, why }, { fill, both }) {
    return {
      heading: both([documents.translated, items - failedItems], [documents.failed, failedItems]),
      paragraphs: [fill(documents.lead)],
      action:
        documentId === null
          ? { name: documents.openAll, path: '/app/files' }
          : { name: documents.openOne, path: editorPath(documentId) },
      footer: [fill(why)],
    };
  },
};

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

/** A mail without its layout. All texts are plain. */
interface MailParts {
  language: string;
  direction: 'ltr' | 'rtl';
  heading: string;
  /** Paragraphs of words, and of names and other values that may have another direction. */
  paragraphs: readonly Run[][];
  action: { name: string; url: string };
  /** The sentence before the URL of the action. */
  link: string;
  footer: readonly Run[][];
  unsubscribe: { name: string; url: string } | null;
}

/** A piece of a paragraph. A value is isolated, so that its direction does not change that of the words around it. */
interface Run {
  text: string;
  isValue: boolean;
}

/** The version of a mail without HTML. */
function textOf({ paragraphs, action, footer, unsubscribe }: MailParts): string {
  const text = (runs: Run[]) => runs.map((run) => run.text).join('');
  return [
    ...paragraphs.map(text),
    `${action.name}:\n${action.url}`,
    `-- \n${footer.map(text).join('\n')}`,
    ...(unsubscribe ? [`${unsubscribe.name}:\n${unsubscribe.url}`] : []),
    '',
  ].join('\n\n');
}

/** The colors of the interface in its two themes: canvas, surface, line, ink, weaker ink, accent, text on accent. */
const light = ['#f6f4ef', '#fffefb', '#e4dfd4', '#1a2325', '#5c6562', '#0a6470', '#ffffff'] as const;
const dark = ['#0f1516', '#151d1e', '#253132', '#e9eeec', '#8e9c9a', '#5cc3c8', '#06282c'] as const;

const [canvas, surface, line, ink, weak, accent, onAccent] = light;
const font = `-apple-system,'Segoe UI',Roboto,'Noto Sans','Hiragino Sans',Arial,sans-serif`;

/**
 * The HTML version of a mail: one column, with colors for both themes. It loads nothing: no image, font or style sheet.
 * Programs that ignore the style element show the light theme.
 */
function htmlOf(mail: MailParts): string {
  const { language, direction, heading, paragraphs, action, link, footer, unsubscribe } = mail;
  const [darkCanvas, darkSurface, darkLine, darkInk, darkWeak, darkAccent, darkOnAccent] = dark;
  const url = escapeHtml(action.url);
  return `<!doctype html>
<html lang="${escapeHtml(language)}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
.canvas { background: ${darkCanvas} !important; }
.card { background: ${darkSurface} !important; border-color: ${darkLine} !important; }
.ink { color: ${darkInk} !important; }
.weak { color: ${darkWeak} !important; }
.accent { color: ${darkAccent} !important; }
.button { background: ${darkAccent} !important; color: ${darkOnAccent} !important; }
}
</style>
</head>
<body class="canvas" style="margin:0;padding:24px 12px;background:${canvas};font-family:${font}">
<div class="card" role="article" aria-label="${escapeHtml(heading)}" lang="${escapeHtml(language)}" dir="${direction}" style="max-width:520px;margin:0 auto;padding:24px;background:${surface};border:1px solid ${line};border-radius:12px">
<p class="accent" translate="no" style="margin:0 0 16px;font-size:15px;font-weight:600;color:${accent}">LinguaLoop</p>
<h1 class="ink" style="margin:0 0 12px;font-size:22px;line-height:1.3;font-weight:600;overflow-wrap:anywhere;color:${ink}">${escapeHtml(heading)}</h1>
${paragraphs.map((runs) => paragraph(runs, 'ink', 15, ink)).join('\n')}
<p style="margin:20px 0"><a class="button" href="${url}" style="display:inline-block;padding:10px 18px;border-radius:8px;font-size:15px;font-weight:600;text-decoration:none;background:${accent};color:${onAccent}">${escapeHtml(action.name)}</a></p>
<p class="weak" style="margin:0 0 4px;font-size:13px;line-height:1.5;color:${weak}">${escapeHtml(link)}</p>
<p style="margin:0 0 20px;font-size:13px;line-height:1.5;overflow-wrap:anywhere"><a class="accent" dir="ltr" href="${url}" style="color:${accent}">${url}</a></p>
<div class="card" style="border-top:1px solid ${line};padding-top:16px;background:${surface}">
${footer.map((runs) => paragraph(runs, 'weak', 13, weak)).join('\n')}
${unsubscribe ? `<p style="margin:0;font-size:13px"><a class="accent" href="${escapeHtml(unsubscribe.url)}" style="color:${accent}">${escapeHtml(unsubscribe.name)}</a></p>` : ''}
</div>
</div>
</body>
</html>
`;
}

function paragraph(runs: Run[], className: string, size: number, color: string): string {
  const content = runs.map(({ text, isValue }) =>
    isValue ? `<bdi>${escapeHtml(text)}</bdi>` : escapeHtml(text),
  );
  return `<p class="${className}" style="margin:0 0 12px;font-size:${size}px;line-height:1.55;overflow-wrap:anywhere;color:${color}">${content.join('')}</p>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
