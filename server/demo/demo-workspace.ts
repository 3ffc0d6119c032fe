import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { checkForm } from '#server/documents/submission-form.ts';
import { submitDocument } from '#server/documents/submit.ts';
import { AppError } from '#server/errors.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { KeyPrincipal } from '#server/identity/access/principal.ts';
import { demoTenantId } from '#server/identity/access/visits.ts';
import { createGlossary } from '#server/language/terminology/create.ts';
import { addEntry } from '#server/language/terminology/term-changes.ts';
import type { Engine, EngineResult } from '#server/platform/engines/engine.ts';
import { newId } from '#server/platform/ids.ts';
import { checkRequest } from '#server/texts/intake/check-request.ts';
import { translationRequest } from '#server/texts/schema.ts';
import { submit } from '#server/texts/submission.ts';
import minutes from './minutes.json' with { type: 'json' };
import texts from './texts.json' with { type: 'json' };

const name = 'Demo workspace';

/** Characters a month: its content has about 1,200, and may be created again. */
const allowance = 500_000;

/** The languages of the document. The Spanish translation has a wrong time, and not the term of the glossary. */
const languages = ['de', 'es'];

const minutesByText = new Map(
  minutes.map((text): [string, Partial<Record<string, string>>] => [text.en, text]),
);
const textsBySource = new Map(texts.map(({ source, target }) => [source, target]));

/** The recorded translation of a text of the demo workspace. A text without one stays as it is. */
function recordedTarget(source: string, language: string): string {
  return textsBySource.get(source) ?? minutesByText.get(source)?.[language] ?? source;
}

const recorded = <T>(value: T): Promise<EngineResult<T>> =>
  Promise.resolve({ value, models: [], inputTokens: 0, outputTokens: 0 });

const judgement = { score: 92, issues: [], summary: 'a recorded translation' };

/**
 * The engine of the demo workspace: it returns recorded translations, so that the workspace shows real texts without a
 * model. It finds and repairs no issues: the findings are those of the service's own checks.
 */
const recordedEngine: Engine = {
  live: true,
  withoutJudge: null,
  translate: ({ segments, targetLang }) =>
    recorded(segments.map((segment) => recordedTarget(segment, targetLang))),
  assess: () => recorded(judgement),
  assessEach: ({ segments }) => recorded(segments.map(() => judgement)),
  repair: (_task, candidate) => recorded(candidate),
  compare: () => recorded({ winner: 0, rationale: 'a recorded translation' }),
  verify: () => recorded({ ...judgement, passed: true }),
};

/**
 * Returns the services for a tenant's work. The work of the demo workspace needs no model and no plan.
 * @param tenantId of the tenant for which the work is done
 */
export function servicesFor(services: Services, tenantId: string): Services {
  if (tenantId !== demoTenantId) return services;
  const settings = { ...services.settings, BILLING_ENABLED: false, MONTHLY_CHAR_CEILING: allowance };
  return { ...services, settings, engine: recordedEngine, embedder: null };
}

/**
 * Creates the demo workspace and its content, or what is missing of it. Runs again with each sweep, so that it also
 * completes what a killed process has begun, and replaces what retention has deleted. Each part has a key, so that
 * nothing is created twice.
 */
export async function makeDemoWorkspace(services: Services): Promise<void> {
  const tenant = { id: demoTenantId, name };
  const isActive = await services.database.inTenant(demoTenantId, ensureTenant);
  if (!isActive) return;
  const principal: KeyPrincipal = { kind: 'api_key', tenant, keyId: null, scopes: null };
  const withTenant: WithTenant = (work, prefetch) =>
    services.database.inTenant(demoTenantId, async (tx) =>
      work(tx, principal, (await prefetch?.(tx)) as never),
    );
  const ours = servicesFor(services, demoTenantId);
  await makeGlossary(ours, withTenant);
  await makeTexts(ours, withTenant);
  for (const language of languages) await makeDocument(ours, withTenant, language);
}

/** @returns whether the workspace is active: an operator may have deactivated it, or scheduled its deletion */
async function ensureTenant(tx: Tx): Promise<boolean> {
  await tx
    .insert(tenants)
    .values({ tenantId: demoTenantId, name, apiKeyPrefix: '', monthlyCharLimit: allowance })
    .onConflictDoNothing();
  const [row] = await tx.select({ active: tenants.active }).from(tenants);
  return row?.active === true;
}

async function makeGlossary(services: Services, withTenant: WithTenant): Promise<void> {
  const pair = { source_lang: 'en', target_lang: 'es' };
  try {
    const { id } = await createGlossary(services, withTenant, { name: 'Gardens', ...pair });
    const term = { source_term: 'plot', target_term: 'parcela', case_sensitive: false };
    await addEntry(services, withTenant, { set_id: id, ...pair, ...term });
  } catch (error) {
    // The glossary has its term already.
    if (!(error instanceof AppError && ['conflict', 'state_conflict'].includes(error.code))) throw error;
  }
}

async function makeTexts(services: Services, withTenant: WithTenant): Promise<void> {
  for (const [index, { source, source_lang, target_lang }] of texts.entries()) {
    const request = translationRequest.parse({
      ...{ source_text: source, source_lang, target_lang },
      idempotency_key: `demo-text-${index + 1}`,
    });
    const submitted = { request: checkRequest(request, services.settings), warnings: [] };
    const sender = { requestId: newId(), prefersAsync: false };
    await submit(services, withTenant, sender, [submitted], { maxCharacters: null });
  }
}

async function makeDocument(services: Services, withTenant: WithTenant, target_lang: string): Promise<void> {
  const form = checkForm({
    source_document: {
      name: 'minutes.docx',
      contentType: layoutKinds.docx.mediaType,
      bytes: await readFile(join(import.meta.dirname, 'minutes.docx')),
      via: 'form',
    },
    ...{ source_lang: 'en', target_lang },
    idempotency_key: `demo-document-${target_lang}`,
  });
  const sender = { signal: services.backgroundWork.stopping, unknownFields: [] };
  await submitDocument(services, withTenant, form, sender, { operator: false });
}
