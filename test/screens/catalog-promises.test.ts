import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { glossaryKinds } from '#server/formats/glossary-kinds.ts';
import { allExtensions } from '#server/formats/layout-kinds.ts';
import { readSettings } from '#server/settings.ts';
import { locales } from '#web/server/locale.ts';
import * as landing from './landing-catalogs.ts';

const folder = join(import.meta.dirname, '../../web/locales');

/** All messages of the application and of the landing page, as `language/file.key: text`. */
const sentences = locales.flatMap((locale) => [
  ...readdirSync(join(folder, locale)).flatMap((file) =>
    Object.entries(
      JSON.parse(readFileSync(join(folder, locale, file), 'utf8')) as Record<string, string>,
    ).map(([key, text]) => `${locale}/${file}.${key}: ${text}`),
  ),
  ...landing.textsOf(locale).map((text) => `${locale}/landing: ${text}`),
]);

/** Applies a rule to the text of each message, without its name, placeholders and the values that select a variant. */
const breaking = (rule: RegExp) =>
  sentences.filter((sentence) =>
    rule.test(
      sentence
        .replace(/^\S+ /, '')
        .replace(/\{\w+(, \w+(, \w+)?)?\}/g, ' ')
        .replace(/=?\w+ \{/g, ' | '),
    ),
  );

// Names under which people know formats whose extension is another word. `xml` and `md` are in code and URLs, too.
const formats = [...allExtensions, ...glossaryKinds, 'Word', 'Excel', 'PowerPoint', 'Markdown']
  .filter((name) => name.length > 2)
  .map((name) => `\\b${name}\\b`)
  .join('|');
const joint = String.raw`[\s,،、/().]*(and|or|et|ou|und|oder|[yeoó]|wa|و|أو|や|または)?[\s(.]*`;

test('no message lists formats, which change with the code', () => {
  const list = new RegExp(`(${formats})\\)?(?=[\\s,،、/()وأو])${joint}(${formats})`, 'i');
  expect('a PDF, Word or Excel file').toMatch(list);
  expect('Dateien wie PDF und Word').toMatch(list);
  expect('archivos PDF y Word').toMatch(list);
  // The landing page names the files that were measured.
  expect(breaking(list).filter((sentence) => !/\/landing: .*\{texts\}/.test(sentence))).toEqual([]);
});

/** The settings whose values callers notice. */
const limits = Object.entries(readSettings({})).filter(([name]) =>
  /^(MAX|TRIAL|DEFAULT|MONTHLY|TM_ASYNC|DENSE|OUTAGE|INVITE_TTL|WORKSPACE_STORAGE)_/.test(name),
);

test('no message has the value of a setting, which the operator can change', () => {
  const values = limits.flatMap(([name, value]) => {
    if (typeof value !== 'number' || value < 10) return [];
    const isBytes = name.endsWith('_BYTES');
    return [
      ...(isBytes ? [`${value / 1e6} MB`, `${value / 1e6} Mo`] : []),
      String(value),
      ...locales.map((locale) => new Intl.NumberFormat(locale).format(value)),
    ];
  });
  expect(values).toEqual(expect.arrayContaining(['50,000', '150000', '500.000']));
  const literal = values.map((value) => value.replace(/[.]/g, '\\.').replace(/[\s\u202f\u00a0]/g, '\\s'));
  const rule = new RegExp(`(?<![\\d.,])(${[...new Set(literal)].join('|')})(?![\\d]|[.,]\\d)`);
  expect('at most 50,000 characters').toMatch(rule);
  expect(breaking(rule)).toEqual([]);
});

test('no message denies emails, which depends on the settings', () => {
  const rule =
    /no e-?mails? is|sends? no e-?mail|keine e-?mails?\b.*(sendet|verschickt)|(sendet|verschickt) keine e-?mail|aucun e-?mail n|n’envoie (aucun|pas) ?(d’)?e-?mail|no envía (ningún )?(correo|e-?mail)|no se envían correos|não envia (nenhum )?e-?mail|nenhum e-?mail (é|será) enviado|لا ترسل .*(بريد|رسائل)|لا يُرسل بريد|メールを?は?送(信し|りま)せん|メールは送信されません/i;
  expect('This service sends no email.').toMatch(rule);
  expect('Dieser Dienst sendet keine E-Mails.').toMatch(rule);
  expect('Este servicio no envía correos.').toMatch(rule);
  expect('Este serviço não envia e-mails.').toMatch(rule);
  expect(breaking(rule)).toEqual([]);
});
