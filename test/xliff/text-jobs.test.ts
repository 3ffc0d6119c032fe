import { text as readAll } from 'node:stream/consumers';
import { beforeEach, describe, expect, test } from 'vitest';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { exportJobs } from '#server/review/texts/exchange.ts';
import { env } from '#test/factories.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openWorkspace, type Workspace } from '#test/translations/workspace.ts';
import { changed, exchangeOf, withTarget, xliffType } from './exchange.ts';

const app = useTestApp({ env });

let mine: Workspace;
let xliff: ReturnType<typeof exchangeOf>;
beforeEach(async () => {
  mine = await openWorkspace(app);
  xliff = exchangeOf(app, mine.headers);
});

const held = (fields = {}) => mine.job({ domain: 'legal', ...fields });

describe('GET /api/translations with Accept: application/xliff+xml', () => {
  test('has a file for each job that waits for review, with its texts, its state and why it waits', async () => {
    const job = await held({ source_text: 'Hello {name}, <b>welcome</b>' });
    await mine.job({ source_text: 'Published at once' });
    const { status, headers, text } = await xliff.exportJobs();
    expect([status, headers.get('content-type'), headers.get('vary')]).toEqual([200, xliffType, 'Accept']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="translations-en-fr.xlf"');
    expect(text).toContain('version="2.1" srcLang="en" trgLang="fr"');
    expect([...text.matchAll(/<file id="(\w+)"/g)].map(([, id]) => id)).toEqual([job.id]);
    expect(text).toContain(
      '<source xml:space="preserve">Hello <ph id="1" dataRef="d1"/>, <ph id="2" dataRef="d2"/>welcome<ph id="3" dataRef="d3"/></source>',
    );
    expect(text).toContain('<data id="d1">{name}</data>\n<data id="d2">&lt;b&gt;</data>');
    expect(text).toContain('state="translated" subState="lingualoop:awaiting_review"');
    expect(text).toContain(`<note appliesTo="target">${job.agent_run.human_review_task.reason}</note>`);
  });

  test.each([
    ['JSON', 'application/json; charset=utf-8', undefined],
    ['JSON', 'application/json; charset=utf-8', `application/json, ${xliffType};q=0.5`],
    ['JSON', 'application/json; charset=utf-8', `${xliffType};q=0`],
    ['JSON', 'application/json; charset=utf-8', `${xliffType};q=0.1, application/*;q=0.2, */*;q=0.1`],
    ['XLIFF', xliffType, `${xliffType}, */*`],
    ['XLIFF', xliffType, `${xliffType};q=0.5, application/json;q=0.4, */*`],
    ['XLIFF', xliffType, `${xliffType};q=0.1, ${xliffType}, application/json;q=0.8, ${xliffType};q=0.2`],
  ])('returns %s (%s) for the Accept header %s', async (_, type, accept) => {
    await held();
    const headers = { ...mine.headers, ...(accept && { accept }) };
    expect((await app.request('/api/translations', { headers })).headers.get('content-type')).toBe(type);
  });

  test('one document has one pair of languages: several are refused until one is named', async () => {
    await held({ source_text: 'One', target_lang: 'fr' });
    const german = await held({ source_text: 'Two', target_lang: 'de' });
    const refused = await xliff.exportJobs();
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('source_lang and target_lang'),
    ]);
    const { status, text } = await xliff.exportJobs('?target_lang=DE');
    expect([status, [...text.matchAll(/<file id="(\w+)"/g)].map(([, id]) => id)]).toEqual([200, [german.id]]);
    expect((await xliff.exportJobs('?target_lang=xx')).status).toBe(422);
  });

  test('comes in pages, and by status', async () => {
    const ids: string[] = [];
    for (const source_text of ['One', 'Two', 'Three']) ids.unshift((await held({ source_text })).id);
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await xliff.exportJobs(`?limit=2${cursor && `&cursor=${cursor}`}`);
      expect(page.status).toBe(200);
      found.push(...[...page.text.matchAll(/<file id="(\w+)"/g)].map(([, id]) => id as string));
      cursor = page.headers.get('x-next-cursor');
    }
    expect(found).toEqual(ids);
    await mine.review(ids[0] as string, { action: 'approve' });
    const { text } = await xliff.exportJobs('?status=published');
    expect(text).toContain(`<file id="${ids[0]}"`);
    expect(text).toContain('state="final" subState="lingualoop:published"');
  });

  test('jobs that are deleted between search and read are left out; without any it is a 404', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 12; n++) ids.unshift((await held({ source_text: `Text ${n}` })).id);
    const { services } = app;
    const exportWithout = (deleted: readonly string[]) => {
      const withTenant: WithTenant = async (work) => {
        const principal = { tenant: { id: mine.tenantId } } as Principal;
        const found = await services.database.inTenant(mine.tenantId, (tx) =>
          work(tx, principal, undefined as never),
        );
        for (const id of deleted) expect((await mine.remove(id, mine.admin)).status).toBe(200);
        return found;
      };
      const request = { requestId: 'r', signal: new AbortController().signal };
      return exportJobs(services, withTenant, { limit: 50 }, request);
    };
    // The first ten jobs, which are read before the first byte is sent.
    const { content: file } = await exportWithout(ids.slice(0, 10));
    const text = await readAll(file.chunks);
    expect([...text.matchAll(/<file id="(\w+)"/g)].map(([, id]) => id)).toEqual(ids.slice(10));
    await expect(exportWithout(ids.slice(10))).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('POST /api/translations/{job_id}/review with Content-Type: application/xliff+xml', () => {
  test('the state decides: translated saves a draft, reviewed and final approve', async () => {
    for (const [state, status] of [
      ['translated', 'awaiting_review'],
      ['reviewed', 'human_edited'],
      ['final', 'human_edited'],
    ] as const) {
      const job = await held({ source_text: `Hello ${state}` });
      const { text } = await xliff.exportJobs();
      const { status: code, body } = await xliff.reviewJob(
        job.id,
        withTarget(text, 'text', 'Bonjour &amp; salut', state),
      );
      expect([code, body.detail, body.status, body.final_translation]).toEqual([
        200,
        undefined,
        status,
        'Bonjour & salut',
      ]);
      await mine.review(job.id, { action: 'reject' });
    }
  });

  test('an action in the query wins over the state, and says who reviewed', async () => {
    const job = await held();
    const { text } = await xliff.exportJobs();
    const { body } = await xliff.reviewJob(
      job.id,
      withTarget(text, 'text', 'Bonjour'),
      '?action=approve&reviewer=Ada&notes=fine',
    );
    expect(body).toMatchObject({
      status: 'human_edited',
      agent_run: { human_review_task: { completed_by: 'Ada', metadata: { notes: 'fine' } } },
    });
    expect((await xliff.reviewJob(job.id, text, '?action=reject')).status).toBe(422);
  });

  test('codes come back as what they stand for, moved or not', async () => {
    const job = await held({ source_text: 'Dear {name}, you have %d files' });
    const { text } = await xliff.exportJobs();
    expect(text).toContain('<data id="d2">%d</data>');
    const target = '<ph id="2" dataRef="d2"/> fichiers pour <ph id="1" dataRef="d1"/>';
    const { body } = await xliff.reviewJob(job.id, withTarget(text, 'text', target, 'final'));
    expect(body.final_translation).toBe('%d fichiers pour {name}');
  });

  test('codes whose data a tool has dropped are known by their ids', async () => {
    const job = await held({ source_text: 'Dear {name}' });
    const { text } = await xliff.exportJobs();
    const bare = changed(text, 'text', (unit) =>
      unit.replace(/<originalData>[\s\S]*<\/originalData>/, '').replaceAll(/ dataRef="\w+"/g, ''),
    );
    const { body } = await xliff.reviewJob(job.id, withTarget(bare, 'text', 'Cher <ph id="1"/>', 'final'));
    expect([body.detail, body.final_translation]).toEqual([undefined, 'Cher {name}']);
  });

  test('a text that nobody changed is no conflict, although another reviewer has changed the job', async () => {
    const job = await held();
    const { text } = await xliff.exportJobs();
    await mine.review(job.id, { action: 'save', final_translation: 'of another reviewer' });
    const { updated_at } = await mine.read(job.id);
    const { status, body } = await xliff.reviewJob(job.id, text);
    expect([status, body.final_translation, body.updated_at]).toEqual([
      200,
      'of another reviewer',
      updated_at,
    ]);
    // An approval is for the version that the reviewer saw.
    expect((await xliff.reviewJob(job.id, text.replace('"translated"', '"final"'))).status).toBe(409);
    expect((await xliff.reviewJob(job.id, text, '?action=approve')).status).toBe(409);
  });

  test('the same file sent again returns the published job', async () => {
    for (const [source_text, target, status] of [
      ['As it is', undefined, 'published'],
      ['As edited', 'Corrigé', 'human_edited'],
    ] as const) {
      const job = await held({ source_text });
      const { text } = await xliff.exportJobs();
      const reviewed = changed(text, 'text', (unit) => unit.replace('"translated"', '"final"'));
      const file = target === undefined ? reviewed : withTarget(reviewed, 'text', target);
      const first = await xliff.reviewJob(job.id, file);
      expect([first.status, first.body.status]).toEqual([200, status]);
      const again = await xliff.reviewJob(job.id, file);
      expect([again.status, again.body]).toEqual([200, first.body]);
      expect((await xliff.reviewJob(job.id, withTarget(file, 'text', 'Autre'))).status).toBe(409);
    }
  });

  test('a code that is unknown and says nothing is refused by its unit, whichever element it is', async () => {
    const job = await held({ source_text: 'Dear {name}' });
    const { text } = await xliff.exportJobs();
    for (const target of [
      'Cher <ph id="1" dataRef="d1"/><ph id="8"/>',
      '<pc id="8">Cher</pc> <ph id="1" dataRef="d1"/>',
    ]) {
      const { status, body } = await xliff.reviewJob(job.id, withTarget(text, 'text', target, 'final'));
      expect([status, body.detail]).toEqual([
        422,
        expect.stringContaining('unit "text" (line 4): its inline code "8" has no data'),
      ]);
    }
    expect((await mine.read(job.id)).updated_at).toBe(job.updated_at);
  });

  test.each([
    ['without a target', (unit: string) => unit.replace(/<target[\s\S]*<\/target>/, '')],
    ['with an empty target', (unit: string) => unit.replace(/(<target[^>]*>)[^<]*/, '$1')],
  ])('a unit %s leaves the job as it is, whatever its state', async (_, change) => {
    const job = await held();
    const { text } = await xliff.exportJobs();
    const { status, body } = await xliff.reviewJob(
      job.id,
      withTarget(changed(text, 'text', change), 'text', '', 'final'),
    );
    expect([status, body.status, body.updated_at]).toEqual([200, 'awaiting_review', job.updated_at]);
  });

  test('a file that was made before another review is a 409 that names the unit, and changes nothing', async () => {
    const job = await held();
    const { text } = await xliff.exportJobs();
    await mine.review(job.id, { action: 'save', final_translation: 'of another reviewer' });
    const { status, body } = await xliff.reviewJob(job.id, withTarget(text, 'text', 'late', 'final'));
    expect([status, body]).toMatchObject([
      409,
      { error_code: 'conflict', detail: expect.stringContaining('unit "text" (line 4)') },
    ]);
    expect(await mine.read(job.id)).toMatchObject({
      status: 'awaiting_review',
      final_translation: 'of another reviewer',
    });
  });

  test('a changed source, a dropped version, another job’s file and other languages are refused by name', async () => {
    const job = await held({ source_text: 'The source' });
    const { text } = await xliff.exportJobs();
    const refusals = [
      [text.replace('The source', 'Another source'), 'unit "text" (line 4): its source text was changed'],
      [text.replace(/<mda:metadata>.*<\/mda:metadata>/, ''), 'the element <mda:metadata>'],
      [text.replace(job.id, 'f'.repeat(32)), `it has no <file id="${job.id}">`],
      [text.replace('trgLang="fr"', 'trgLang="de"'), 'from en into de'],
      [text.replace('id="text"', 'id="s1"'), 'unit "s1" (line 4): the job does not have this unit'],
      [withTarget(text, 'text', '&#x9;<ph id="7" dataRef="d9"/>'), 'refers to the data "d9"'],
      [withTarget(text, 'text', '<cp hex="D800"/>'), 'is not a valid character'],
    ] as const;
    for (const [body, detail] of refusals) {
      const answer = await xliff.reviewJob(job.id, body);
      expect([answer.status, answer.body.detail]).toEqual([422, expect.stringContaining(detail)]);
    }
    expect((await mine.read(job.id)).updated_at).toBe(job.updated_at);
  });

  test('what is no XLIFF 2 is a 400, a document with entities too', async () => {
    const job = await held();
    const { text } = await xliff.exportJobs();
    const bomb = text.replace('<xliff', '<!DOCTYPE x [<!ENTITY a "aaaa">]>\n<xliff').replace('fr of', '&a;');
    for (const [body, detail] of [
      ['hello', 'not XML'],
      ['<tmx version="1.4"/>', 'root element is not <xliff>'],
      ['<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"/>', 'this is XLIFF 1.2'],
      [text.slice(0, -20), 'not well-formed'],
      [bomb, 'forbidden XML construct'],
      [withTarget(text, 'text', '&#xD800;'), 'not well-formed'],
      [Buffer.from([0xff, 0x00, 0x80]), 'must be UTF-8'],
    ] as const) {
      const answer = await xliff.reviewJob(job.id, typeof body === 'string' ? body : new Uint8Array(body));
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(detail)]);
    }
  });

  test('a body above MAX_REQUEST_BYTES is a 413', async () => {
    const job = await held();
    expect((await xliff.reviewJob(job.id, 'x'.repeat(10_000_001))).status).toBe(413);
  });
});
