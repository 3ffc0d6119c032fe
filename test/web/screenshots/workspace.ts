import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { LinguaLoop } from '#sdk/index.ts';
import { type FakeOpenAi, startFakeOpenAi, translatingReply } from '#test/fakes/openai.ts';
import { signEvent } from '#test/fakes/stripe.ts';
import recorded from '../../../server/demo/minutes.json' with { type: 'json' };

/** The member whose screens are in the pictures. */
export const member = { email: 'ada@example.org', password: 'a long enough passphrase' };

/** The Word file in the pictures. */
export const file = join(import.meta.dirname, '../../../examples/files/minutes.docx');

const glossary = `source,target
plot,parcela
allotment society,asociación de huertos
minutes,acta
neighbour,vecino
wheelbarrow,carretilla
compost,compost
`;
const memory = `<?xml version="1.0" encoding="UTF-8"?>
<tmx version="1.4"><header srclang="en" datatype="plaintext" segtype="sentence" adminlang="en" o-tmf="x" creationtool="x" creationtoolversion="1"/><body>
<tu><tuv xml:lang="en"><seg>Present: eleven members and one dog. The meeting began at 6.10 p.m.</seg></tuv>
<tuv xml:lang="es"><seg>Presentes: once socios y un perro. La reunión comenzó a las 6.10 p. m.</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>The meeting ended at 7.15 p.m., when it began to snow.</seg></tuv>
<tuv xml:lang="es"><seg>La reunión terminó a las 7.15 p. m., cuando empezó a nevar.</seg></tuv></tu>
</body></tmx>`;

/**
 * Starts a model that returns recorded translations, so that the pictures show real texts without a model. One of them
 * has a wrong time, which the checks find. The model repairs nothing.
 */
export async function startRecordedModel(): Promise<FakeOpenAi> {
  const model = await startFakeOpenAi();
  model.otherwise(
    translatingReply({
      translate: (text, lang) => {
        const found: Partial<Record<string, string>> | undefined = recorded.find(({ en }) => en === text);
        return found?.[lang] ?? text;
      },
      repair: (translation) => translation,
      score: 92,
    }),
  );
  return model;
}

export const webhookSecret = 'whsec_of_the_pictures_0123456789';

/** The items in the pictures that have addresses. */
export interface Workspace {
  /** The ID of the Spanish document. */
  documentId: string;
  /** The ID of a French text that awaits review. */
  jobId: string;
}

/** Creates a workspace, and returns its API key. With a plan that Stripe bills, if `isBilled` is set. */
export async function createWorkspace(baseUrl: string, isBilled: boolean): Promise<string> {
  const { account, tenant_api_key } = await new LinguaLoop({ baseUrl }).auth.signUp({
    tenant_name: 'Hillside Gardens',
    ...member,
  });
  if (isBilled) await addPlan(baseUrl, account.id);
  return tenant_api_key as string;
}

/** Adds a glossary, a translation memory, a document in three languages, and texts that await review. */
export async function fillWorkspace(baseUrl: string, apiKey: string): Promise<Workspace> {
  const client = new LinguaLoop({ baseUrl, apiKey });
  const spanish = { source_lang: 'en', target_lang: 'es' };
  await client.terminology.upload(
    { name: 'gardens.csv', data: new Blob([glossary], { type: 'text/csv' }) },
    { name: 'Gardens', ...spanish },
  );
  const tmx = { name: 'minutes.tmx', data: new Blob([memory]) };
  await (await client.memory.importTmx(tmx, { name: 'Minutes 2025', ...spanish })).pollUntilDone();
  let jobId = '';
  for (const { en, es } of recorded)
    if (!es)
      ({ id: jobId } = await client.translations.create({
        source_text: en,
        target_lang: 'fr',
        domain: 'legal',
      }));
  const ids: string[] = [];
  for (const target_lang of ['de', 'fr', 'es'] as const) {
    const document = { name: 'minutes.docx', data: await openAsBlob(file) };
    const job = await client.documents.translate(document, { source_lang: 'en', target_lang });
    ids.push((await job.pollUntilDone()).id);
  }
  return { documentId: ids.at(-1) as string, jobId };
}

/** Adds a second member, who translates some texts, and a pending invite. */
export async function addTeam(baseUrl: string): Promise<void> {
  const client = new LinguaLoop({ baseUrl });
  await client.auth.signIn(member);
  const { invites } = client.tenants;
  const { invite_token } = await invites.create({ email: 'grace@example.org', role: 'agent_id_developer' });
  const grace = { ...member, email: 'grace@example.org' };
  const colleague = new LinguaLoop({ baseUrl });
  await colleague.auth.signUp({ ...grace, invite_token });
  await colleague.auth.signIn(grace);
  for (const { en } of recorded.slice(2, 6))
    await colleague.translations.create({ source_text: en, source_lang: 'en', target_lang: 'de' });
  await invites.create({ email: 'linus@example.org', role: 'global_administrator' });
}

/** Delivers the event with which Stripe reports a new subscription. */
async function addPlan(baseUrl: string, tenantId: string): Promise<void> {
  const object = {
    id: 'sub_pictures',
    object: 'subscription',
    status: 'active',
    metadata: { tenant_id: tenantId },
    items: { object: 'list', data: [{ id: 'si_1', price: { id: 'price_pro', object: 'price' } }] },
  };
  const created = Math.floor(Date.now() / 1000);
  const { body, headers } = signEvent(
    { id: 'evt_1', object: 'event', type: 'customer.subscription.created', created, data: { object } },
    webhookSecret,
  );
  const response = await fetch(`${baseUrl}/api/stripe/webhook`, { method: 'POST', body, headers });
  if (!response.ok) throw new Error(`the plan was rejected: ${await response.text()}`);
}
