import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { glossaryKinds } from '#server/formats/glossary-kinds.ts';
import { allExtensions, layoutKindNames } from '#server/formats/layout-kinds.ts';
import { readSettings } from '#server/settings.ts';
import { type BillingApp, subscriptionEvent, useBillingApp } from '#test/billing/billing-app.ts';
import { viaRpc } from '#test/contract/call.ts';
import { useTestApp } from '#test/setup/app.ts';
import { matchOf } from '#web/app/keys/match-name.ts';
import { locales } from '#web/server/locale.ts';
import * as landing from './landing-catalogs.ts';

const mail = { MAIL_SERVER: '{"url":"smtp://127.0.0.1:9","from":"noreply@example.org"}' };
const free = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', STORAGE_BINDING_ENABLED: 'true' } });
const mailing = useTestApp({
  env: { ...mail, BASE_URL: 'https://lingua.example.org', EMAIL_SIGNUP_ENABLED: 'false' },
});
const trial = useBillingApp({ TRIAL_CHARS: '1000', TRIAL_DAYS: '9', BASE_URL: '' });
const untried = useBillingApp({ TRIAL_CHARS: '0' });
const ended = useBillingApp({ TRIAL_DAYS: '0' });
const refusing = useBillingApp({ TRIAL_GRANTS_PER_ADDRESS: '0' });

type At = { request: typeof free.request };
const textOf = (html: string) =>
  html.replace(/<[^>]*>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
async function page(at: At, path = '/') {
  const response = await at.request(path, { headers: { accept: 'text/html', 'accept-language': 'en' } });
  expect(response.status).toBe(200);
  return textOf(await response.text());
}

describe('the landing page promises what a visitor gets', () => {
  test('without billing: a file, and no word of plans', async () => {
    const text = await page(free);
    expect(text).toContain('Start with one file.');
    expect(text).not.toMatch(/\bplan\b|\bfree\b/);
  });

  test('with a trial: texts, and that files and the API need a plan', async () => {
    const text = await page(trial.app);
    expect(text).toContain(
      'Start with a text: the first 1,000 characters are free, for 9 days. Files and the API need a plan.',
    );
    expect(text).toContain('On this service, the API needs a plan.');
    expect(text).not.toContain('Start with one file');
  });

  test.each([
    ['no characters', untried],
    ['no days', ended],
    ['no grants', refusing],
  ])('with a trial of %s: only plans', async (_, { app }) => {
    const text = await page(app);
    expect(text).toContain('Texts, files and the API need a plan.');
    expect(text).not.toMatch(/\bfree\b|Start with/);
  });

  test('the number of formats is that of the code', async () => {
    expect(await page(free)).toContain(`Files in ${layoutKindNames.length} formats keep their form`);
  });
});

test('our pages say only what is true of the settings, and show no marks', async () => {
  const [plain, mails, paid] = await Promise.all(
    [free, mailing, trial.app].map(
      async (at) => (await page(at, '/privacy')) + (await page(at, '/resources/first-steps')),
    ),
  );
  expect(plain).toContain('its own storage account');
  expect(plain).toContain('You send it yourself.');
  expect(plain).toContain('or create a workspace');
  expect(plain).toContain('No model is connected');
  expect(plain).not.toMatch(/sends emails|payment|need a plan/);
  expect(mails).toContain('The service sends emails to members');
  expect(mails).not.toMatch(/You send it yourself|own storage account|or create a workspace/);
  expect(paid).toMatch(/pages of a payment processor[\s\S]*Files need a plan/);
  for (const text of [plain, mails, paid]) expect(text).not.toMatch(/\{|\}|\w\? [A-Z].*\}/);
});

/** The coverage of the workspace, and the summary of its usage. */
async function standing(
  { app }: Pick<BillingApp, 'app'>,
  { tenantId, accessToken }: { tenantId: string; accessToken: string },
) {
  const headers = { authorization: `Bearer ${accessToken}` };
  const [{ body: coverage }, { body: summary }] = await Promise.all([
    viaRpc(app, { path: 'billing.coverage', type: 'query' }, { headers }),
    app.json('GET', `/api/tenants/${tenantId}/billing`, { headers }),
  ]);
  return [coverage.covers, summary.allowance.remaining, summary.trial?.granted ?? null];
}

describe('the characters left, and what they cover', () => {
  test('follow the trial, the plan, a late payment and its end', async () => {
    const one = await trial.app.signUp();
    expect(await standing(trial, one)).toEqual(['texts', 1000, 1000]);
    const id = `sub_${one.tenantId}`;
    await trial.deliver(subscriptionEvent('created', one.tenantId, { id }));
    expect(await standing(trial, one)).toEqual(['all', 1_500_000, null]);
    await trial.deliver(subscriptionEvent('updated', one.tenantId, { id, status: 'past_due' }, 1));
    expect(await standing(trial, one)).toEqual(['none', 0, null]);
  });

  test('are absent without a trial or plan, and the allowance without billing', async () => {
    expect(await standing(untried, await untried.app.signUp())).toEqual(['none', 0, null]);
    expect(await standing({ app: free }, await free.signUp())).toEqual(['all', 500_000, null]);
  });
});

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

const matched = (name: string, text: string) => {
  const match = matchOf(name, text);
  return match && name.slice(match.start, match.end);
};

describe('the palette matches names', () => {
  test.each([
    ['Lease-Agreement.docx', 'agree', 'Agree'],
    ['Résumé.pdf', 'resume', 'Résumé'],
    ['İstanbul lease.docx', 'lease', 'lease'],
    ['Next item', '  next ITEM ', 'Next item'],
    ['合同.docx', '合同', '合同'],
    ['a.b*c', 'b*', 'b*'],
    ['Files', '', ''],
  ])('%s matches %j', (name, text, part) => {
    expect(matched(name, text)).toBe(part);
  });

  test('a text that does not occur matches nothing', () => {
    expect(matchOf('lease.docx', 'leasing')).toBeUndefined();
    expect(matchOf('ab', 'abc')).toBeUndefined();
  });
});
