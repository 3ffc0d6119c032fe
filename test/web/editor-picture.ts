import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { LinguaLoop } from '#sdk/index.ts';
import { startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { startService } from '../../examples/service.ts';

/*
 * Writes the picture of the review editor for the README: `npx node test/web/editor-picture.ts`. A fake model returns
 * the translations below, so that the picture shows real translations. Needs chromium.
 */

const picture = join(import.meta.dirname, '../../docs/images/review-editor.png');
const email = 'ada@example.org';
const password = 'a long enough passphrase';

const texts: [source: string, translation: string][] = [
  [
    'Dear {name}, your lease ends on 31 March. Please return the keys to the property manager by noon.',
    'Bonjour {name}, votre bail prend fin le 31 mars. Veuillez remettre les clés au gestionnaire avant midi.',
  ],
  [
    'The security deposit of {amount} is refunded within 30 days after the final inspection.',
    'La caution de {amount} est remboursée dans les 30 jours suivant l’inspection finale.',
  ],
  ['The tenant pays the rent on the first day of each month.', 'Le locataire paie le loyer le 1er du mois.'],
  [
    'Pets are allowed with written consent of the landlord.',
    'Les animaux sont admis avec accord écrit du bailleur.',
  ],
  ['Notice must be given three months in advance.', 'Le préavis est de trois mois.'],
];
const glossary = `source,target
security deposit,dépôt de garantie
tenant,locataire
`;
const memory = `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" datatype="plaintext" segtype="sentence" adminlang="en" o-tmf="x" creationtool="x" creationtoolversion="1"/><body>
<tu><tuv xml:lang="en"><seg>The security deposit of {amount} is refunded within 60 days after the final inspection.</seg></tuv>
<tuv xml:lang="fr"><seg>Le dépôt de garantie de {amount} est remboursé dans les 60 jours suivant l’inspection finale.</seg></tuv></tu>
</body></tmx>`;

const data = await mkdtemp(join(tmpdir(), 'lingualoop-picture-'));
await using model = await startFakeOpenAi();
model.otherwise(
  translatingReply({
    translate: (text) => texts.find(([source]) => source === text)?.[1] ?? text,
    repair: (translation) => translation,
    score: 92,
  }),
);
Object.assign(process.env, {
  DATA_DIR: data,
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_EMBEDDING_MODEL: 'none',
});
const service = await startService();
try {
  await fillWorkspace(service.address);
  await writeFile(picture, await photograph(service.address));
} finally {
  await service.stop();
  await rm(data, { recursive: true, force: true });
}

async function fillWorkspace(baseUrl: string): Promise<void> {
  const { tenant_api_key: apiKey } = await new LinguaLoop({ baseUrl }).auth.signUp({
    tenant_name: 'Acme Rentals',
    email,
    password,
  });
  const client = new LinguaLoop({ baseUrl, apiKey: apiKey as string });
  const languages = { source_lang: 'en', target_lang: 'fr' };
  await client.terminology.upload(
    { name: 'leases.csv', data: new Blob([glossary], { type: 'text/csv' }) },
    { name: 'Leases', ...languages },
  );
  const tmx = { name: 'leases.tmx', data: new Blob([memory]) };
  await (await client.memory.importTmx(tmx, { name: 'Contracts 2025', ...languages })).pollUntilDone();
  for (const [source_text] of texts)
    await client.translations.create({ source_text, ...languages, domain: 'legal' });
}

async function photograph(baseURL: string): Promise<Buffer> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ baseURL, locale: 'en', viewport: { width: 1280, height: 860 } });
    await page.goto('/app/edit/texts');
    await page.locator('input[name=username]').fill(email);
    await page.locator('input[name=password]').fill(password);
    await page.locator('button[type=submit]').click();
    const field = page.locator('textarea[data-edited]');
    await field.waitFor();
    await page.keyboard.press('Alt+ArrowDown');
    await page.getByText('Le dépôt de garantie de').first().waitFor();
    await field.fill(
      'Le dépôt de garantie de {amount} est remboursé dans les 30 jours suivant l’inspection finale.',
    );
    await page.locator('main ins').first().waitFor();
    await page.waitForTimeout(1500);
    return await page.screenshot();
  } finally {
    await browser.close();
  }
}
