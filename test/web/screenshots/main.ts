import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { startFakeStripe } from '#test/fakes/stripe.ts';
import { startService } from '../../../examples/service.ts';
import { opened, take } from './camera.ts';
import { memoryPictures, recordMemory } from './memory.ts';
import { recordTour } from './tour.ts';
import { guidePictures, screenPictures } from './views.ts';
import {
  addTeam,
  createWorkspace,
  fillWorkspace,
  member,
  startRecordedModel,
  webhookSecret,
} from './workspace.ts';

/*
 * Writes the pictures of the application for the README, the landing page and the guides: `npm run screenshots`. With
 * `-- --screens`, writes those of all screens for the decision record, in four looks. `-- --out DIRECTORY` writes to
 * another directory, `-- --only NAME,...` only these pictures, and `-- --look NAME` only in this look. `-- --tour` writes
 * the moving picture of the README instead, and also needs img2webp. `-- --memory` writes those of `docs/gallery/memory`, and
 * needs the package installation-guide-amd64. The service runs with the embedded database. Needs chromium, at /usr/bin/chromium or CHROMIUM.
 */

const { values } = parseArgs({
  options: {
    screens: { type: 'boolean' },
    tour: { type: 'boolean' },
    memory: { type: 'boolean' },
    out: { type: 'string' },
    only: { type: 'string' },
    look: { type: 'string' },
  },
});
const series = values.screens ? screenPictures : guidePictures;
const directory = values.out ?? (values.memory ? memoryPictures : series.directory);
await mkdir(directory, { recursive: true });
const data = await mkdtemp(join(tmpdir(), 'lingualoop-screenshots-'));
await using model = await startRecordedModel();
await using stripe = await startFakeStripe();
Object.assign(process.env, {
  DATA_DIR: data,
  OPENAI_API_KEY: 'none',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_EMBEDDING_MODEL: 'none',
  ...(values.screens && {
    BILLING_ENABLED: 'true',
    STORAGE_BINDING_ENABLED: 'true',
    STRIPE_API_URL: stripe.url,
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PRICE_PERSONAL: 'price_personal',
    STRIPE_PRICE_PRO: 'price_pro',
    STRIPE_PRICE_STUDIO: 'price_studio',
    STRIPE_PRICE_TOPUP: 'price_topup',
  }),
});
const service = await startService();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const apiKey = await createWorkspace(service.address, values.screens === true);
  if (values.tour) await recordTour(browser, service.address, join(directory, 'tour.webp'));
  else if (values.memory) await recordMemory(browser, service.address, model, directory);
  else await takeAll(apiKey);
} finally {
  await browser.close();
  await service.stop();
  await rm(data, { recursive: true, force: true });
}

/** Takes the pictures of the series. */
async function takeAll(apiKey: string): Promise<void> {
  const workspace = await fillWorkspace(service.address, apiKey);
  if (values.screens) await addTeam(service.address);
  const names = values.only?.split(',');
  const views = series.views(workspace).filter(({ name }) => names?.includes(name) ?? true);
  for (const look of series.looks.filter(({ name }) => values.look === undefined || values.look === name)) {
    const visitor = await opened(browser, look, service.address);
    const page = await opened(browser, look, service.address, member);
    for (const view of views) {
      const file = join(directory, `${view.name}-${look.name}.webp`);
      await take(view.isPublic ? visitor : page, view, file, series.maxBytes);
    }
    await visitor.context().close();
    await page.context().close();
  }
}
