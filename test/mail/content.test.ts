import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, test } from 'vitest';
import { securityEvents } from '#server/identity/mail/outbox.ts';
import { type MailFacts, shownName, writeMail } from '#server/identity/mail/write-mail.ts';
import { mailLanguages } from '#server/settings/kinds.ts';
import { locales } from '#web/server/locale.ts';

const expiresAt = new Date('2026-07-31T09:30:00Z');
const address = 'https://lingua.example.org/sub';
const token = 'tenant.secret';
const kinds: MailFacts[] = [
  { kind: 'invite', workspace: 'Acme', token, proof: 'proof', by: 'admin@example.org', expiresAt },
  { kind: 'invite', workspace: 'Acme', token, proof: 'proof', by: 'operator', expiresAt },
  { kind: 'confirmation', workspace: 'Acme', token },
  { kind: 'reset_link', workspace: 'Acme', token, expiresAt },
  ...securityEvents.map((event) => ({
    ...{ kind: 'security' as const, workspace: 'Acme', event, at: expiresAt },
  })),
  ...[1, 2, 5, 11, 100, 10_001].map((items) => ({
    ...{ kind: 'digest' as const, workspace: 'Acme', items },
    ...{ assigned: items, dueSoon: items, overdue: items },
  })),
  { kind: 'documents', workspace: 'Acme', items: 1, failedItems: 0, documentId: 'd1' },
  { kind: 'documents', workspace: 'Acme', items: 1, failedItems: 1, documentId: 'd1' },
  { kind: 'documents', workspace: 'Acme', items: 12, failedItems: 3, documentId: null },
  { kind: 'decisions', workspace: 'Acme', items: 1, rejected: 1, subject: 'job j1' },
  { kind: 'decisions', workspace: 'Acme', items: 5, rejected: 2, subject: 'document' },
  { kind: 'decisions', workspace: 'Acme', items: 2, rejected: 0, subject: null },
];
const write = (facts: MailFacts, language = 'en', unsubscribeUrl: string | null = null) =>
  writeMail(facts, { language, address, unsubscribeUrl });

type Element = DefaultTreeAdapterTypes.Element;

/** All elements of a page. */
function elementsOf(html: string): Element[] {
  const found: Element[] = [];
  const visit = (node: DefaultTreeAdapterTypes.Node) => {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(html));
  return found;
}

test('mails have the languages of the interface', () => {
  expect([...mailLanguages]).toEqual([...locales]);
});

describe.each(mailLanguages)('in %s', (language) => {
  test.each(kinds)('$kind: text, HTML and subject are complete', (facts) => {
    const { subject, text, html } = write(
      facts,
      language,
      'https://lingua.example.org/sub/mail/unsubscribe/t',
    );
    for (const part of [subject, text, html]) {
      expect(part).not.toMatch(/\{\w+\}|undefined|null|NaN/);
      expect(part).not.toBe('');
    }
    expect(subject).not.toMatch(/[\r\n]/);
    expect(text).not.toMatch(/<\w/);
    const links = elementsOf(html).flatMap(({ attrs }) => attrs.filter(({ name }) => name === 'href'));
    for (const { value } of links) {
      expect(value.startsWith(`${address}/`)).toBe(true);
      expect(text).toContain(value);
    }
    expect(elementsOf(html).find(({ tagName }) => tagName === 'html')?.attrs).toEqual([
      { name: 'lang', value: language },
      { name: 'dir', value: language === 'ar' ? 'rtl' : 'ltr' },
    ]);
  });
});

test('each language has different words', () => {
  for (const facts of kinds)
    expect(new Set(mailLanguages.map((language) => write(facts, language).subject)).size).toBe(
      mailLanguages.length,
    );
});

test('the HTML loads nothing, runs nothing, and has colors for both themes', () => {
  for (const facts of kinds) {
    const { html } = write(facts, 'en', `${address}/mail/unsubscribe/t`);
    const elements = elementsOf(html);
    expect(elements.map(({ tagName }) => tagName)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(img|script|link|iframe|form|svg|object|video)$/)]),
    );
    expect(html).not.toMatch(/url\(|@import|@font-face|\bon\w+=|src=/);
    expect(html).toContain('@media (prefers-color-scheme: dark)');
    expect(html).toContain('<meta charset="utf-8">');
  }
});

test('an unknown language is English', () => {
  expect(write(kinds[0]!, 'xx').subject).toBe('Invite to the workspace Acme');
});

test.each([
  ['<script>alert(1)</script> & "quotes"', '<script>alert(1)< script> & "quotes"'],
  ['a\r\nBcc: b@example.org\0', 'a Bcc: b example org'],
  ['http://evil.example/path', 'http evil example path'],
  ['  Acme  S.A.  ', 'Acme S A.'],
  ['\u202Eevil\u2066 \u200Bname', 'evil name'],
  ['full。width．dots', 'full width dots'],
  ['株式会社 日本', '株式会社 日本'],
])('the name of a workspace is shown without links, markup and line breaks: %j', (name, shown) => {
  expect(shownName(name)).toBe(shown);
  const { subject, html } = write({
    ...{ kind: 'digest', workspace: name, items: 1 },
    ...{ assigned: 0, dueSoon: 0, overdue: 0 },
  });
  expect(subject).not.toMatch(/[\r\n\0]/);
  expect(elementsOf(html).filter(({ tagName }) => tagName === 'script')).toEqual([]);
  expect(
    write({ kind: 'invite', workspace: name, token, proof: 'proof', by: 'a@b.example', expiresAt }).subject,
  ).not.toMatch(/https?:\/\/|[\r\n\0]/);
});

test('a long name is cut', () => {
  expect([...shownName('😀'.repeat(500))]).toHaveLength(80);
});

test('an inviter’s address cannot add markup', () => {
  const { html } = write({ ...kinds[0]!, by: '"<img src=x>"@example.org' } as MailFacts);
  expect(elementsOf(html).filter(({ tagName }) => tagName === 'img')).toEqual([]);
});
