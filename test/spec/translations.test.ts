import type postgres from 'postgres';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { stubEngine } from '#server/engines/stub.ts';
import { type Signup, type TestApp, type TestAppOptions, useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

const PATH = '/api/translations';
const LANGUAGES =
  'en es fr fr-CA de it pt-BR pt-PT nl zh-Hans zh-Hant ja ko ar ru hi tr vi th id pl uk cs ro hu el sv da nb fi ms fa ur mr ne'.split(
    ' ',
  );

/** What a test makes of the stub engine: counts its calls, lets them fail, bends its answers. */
const engineControl: {
  calls: number;
  fail: (() => Error) | undefined;
  bend: ((answer: Record<string, unknown>) => void) | undefined;
  /** What an answer of the engine waits for. */
  hold: (() => Promise<void>) | undefined;
} = { calls: 0, fail: undefined, bend: undefined, hold: undefined };

afterEach(() => {
  engineControl.fail = undefined;
  engineControl.bend = undefined;
  engineControl.hold = undefined;
});

/** Every object inside `value`, and itself. */
function* objectsIn(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

const watchedEngine: NonNullable<TestAppOptions['engine']> = new Proxy(stubEngine, {
  get(target, name) {
    const member: unknown = Reflect.get(target, name);
    if (typeof member !== 'function') return member;
    return (...given: unknown[]) => {
      const work: unknown = member.apply(target, given);
      if (!(work instanceof Promise)) return work;
      engineControl.calls += 1;
      return work.then(async (answer: unknown) => {
        await engineControl.hold?.();
        if (engineControl.fail) throw engineControl.fail();
        const copy = structuredClone(answer);
        if (engineControl.bend) for (const inner of objectsIn(copy)) engineControl.bend(inner);
        return copy;
      });
    };
  },
});

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false' }, engine: watchedEngine });

let tenant: Signup;
beforeAll(async () => {
  tenant = await app.signUp({ tenant_name: 'Maison Übersetzung' });
});

/** A submission of the file's tenant; `undefined` removes a field. */
function submit(fields: Record<string, unknown> = {}, headers: Record<string, string> = tenant.headers) {
  return app.json('POST', PATH, {
    headers,
    body: { source_text: 'Hello', target_lang: 'fr', ...fields },
  });
}

async function accepted(
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = tenant.headers,
) {
  const { status, body } = await submit(fields, headers);
  expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
  return body;
}

/** Refused, and no job was made of it. */
async function expectRefused(
  fields: Record<string, unknown>,
  expected: { status: number; detail?: RegExp; field?: string },
) {
  const fresh = await app.signUp();
  const { status, body } = await submit(fields, fresh.headers);
  expect(status).toBe(expected.status);
  if (expected.field) {
    expect(Array.isArray(body.detail)).toBe(true);
    for (const entry of body.detail) {
      expect(entry).toMatchObject({
        loc: expect.any(Array),
        msg: expect.any(String),
        type: expect.any(String),
      });
    }
    expect(body.detail.some(({ loc }: { loc: unknown[] }) => loc.includes(expected.field))).toBe(true);
  }
  if (expected.detail) expect(body.detail).toMatch(expected.detail);
  expect((await app.json('GET', PATH, { headers: fresh.headers })).body).toEqual([]);
}

const HEX32 = /^[0-9a-f]{32}$/;
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;

/** The code of a trigger, whether it stands alone or in an object. */
function codeOf(trigger: unknown): string {
  return typeof trigger === 'string' ? trigger : (trigger as { code: string }).code;
}

function triggerCodes(job: { agent_run: { quality_gate: { triggers: unknown[] } } }): string[] {
  return job.agent_run.quality_gate.triggers.map(codeOf);
}

/** The tables that have all these columns, as SQL names. */
async function tablesWith(sql: postgres.Sql, ...columns: string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select format('%I.%I', c.table_schema, c.table_name) as name
    from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.column_name = any(${columns}) and t.table_type = 'BASE TABLE'
      and c.table_schema not in ('pg_catalog', 'information_schema')
    group by 1 having count(*) = ${columns.length} order by 1`;
  return rows.map(({ name }) => name);
}

/** The stored usage records of these jobs. */
async function usageOf(sql: postgres.Sql, ...jobs: string[]) {
  const tables = await tablesWith(sql, 'job_id', 'billable_chars');
  expect(tables).toHaveLength(1);
  const rows = await sql.unsafe<{ job_id: string; billable_chars: unknown; billing_period: string }[]>(
    `select * from ${tables[0]} where replace(job_id::text, '-', '') = any($1)`,
    [jobs],
  );
  return rows.map((row) => ({ ...row, billable_chars: Number(row.billable_chars) }));
}

describe('B 2.1: the request fields', () => {
  test('the defaults: source_lang en, everything else null, and the job carries them all', async () => {
    const { request } = await accepted({ source_text: 'Plain defaults' });
    expect(request).toEqual({
      source_text: 'Plain defaults',
      target_lang: 'fr',
      source_lang: 'en',
      idempotency_key: null,
      domain: null,
      metadata: {
        tenant: { id: tenant.tenantId, name: 'Maison Übersetzung' },
        golden_uri: expect.stringMatching(/^golden\/[0-9a-f]{32}\.json$/),
      },
      text_type: null,
      tone: null,
      gender: null,
      deployment_name: null,
      adaptive_dataset_id: null,
      allow_fallback: null,
    });
  });

  test('null is accepted wherever the table says so', async () => {
    const fields = {
      idempotency_key: null,
      domain: null,
      text_type: null,
      tone: null,
      gender: null,
      deployment_name: null,
      adaptive_dataset_id: null,
      allow_fallback: null,
    };
    expect((await accepted(fields)).request).toMatchObject(fields);
  });

  test('tone, gender and domain come back as they were sent', async () => {
    for (const tone of ['formal', 'informal', 'neutral']) {
      const fields = { tone, gender: 'feminine', domain: 'Marketing & Söhne' };
      expect((await accepted(fields)).request).toMatchObject(fields);
    }
  });

  test('the inert fields are stored, returned unchanged and change nothing', async () => {
    const fields = { deployment_name: 'gpt-none', adaptive_dataset_id: '😀-set', allow_fallback: false };
    const job = await accepted(fields);
    expect(job.request).toMatchObject(fields);
    expect(job).toMatchObject({ status: 'published', final_translation: '[fr] Hello' });
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
    expect(read.body.request).toMatchObject(fields);
  });

  test.each([
    'Plain text, with surrounding blanks \t ',
    'line\r\nbreaks\n\nkept',
    'e\u0301 is not \u00e9',
    'ﷺ 👩‍👩‍👧‍👦 \u{10ffff} \u200b \ufeff',
    '"quotes" \\backslashes\\ \'and\' {braces} $1 %s',
    '<p>no markup mode</p>',
    '[fr] looks translated',
  ])('source_text is kept to the character: %j', async (text) => {
    const job = await accepted({ source_text: text });
    expect(job.request.source_text).toBe(text);
    expect(job.final_translation).toBe(`[fr] ${text}`);
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
    expect(read.body.request.source_text).toBe(text);
    expect(read.body.final_translation).toBe(`[fr] ${text}`);
  });

  test.each(['', ' ', '\n\t \r\n', '\u00a0\u2003\u3000'])(
    'source_text %j, empty or white space only: 400 with a string detail',
    async (text) => {
      await expectRefused({ source_text: text }, { status: 400, detail: /./ });
    },
  );

  test.each([
    ['source_text', undefined],
    ['source_text', null],
    ['source_text', 42],
    ['source_text', ['Hello']],
    ['target_lang', 42],
    ['target_lang', null],
    ['target_lang', ['fr']],
    ['source_lang', 42],
    ['idempotency_key', 42],
    ['domain', 42],
    ['domain', ['legal']],
    ['metadata', 'text'],
    ['metadata', []],
    ['metadata', 7],
    ['text_type', 'html'],
    ['text_type', 'HTML'],
    ['text_type', 'Markdown'],
    ['text_type', ''],
    ['text_type', 1],
    ['tone', 42],
    ['gender', {}],
    ['deployment_name', 42],
    ['adaptive_dataset_id', false],
    ['allow_fallback', 'yes'],
    ['allow_fallback', 1],
  ])('%s of %j: 422 with an array that names it, and no job', async (field, value) => {
    await expectRefused({ [field]: value }, { status: 422, field });
  });

  test('B 7, C 7: target_lang missing is refused, 400 or 422', async () => {
    const { status } = await submit({ target_lang: undefined });
    expect([400, 422]).toContain(status);
  });
});

describe('B 2.1 text_type Html, C 4: the stub marks translatable text alone', () => {
  test('markup is reproduced as given', async () => {
    const html = '<p class="lead" id=x>Hello <b>big</b> world</p>\n<br/><ul><li>One</li></ul>';
    const { final_translation: out } = await accepted({ source_text: html, text_type: 'Html' });
    expect(out.replaceAll('[fr] ', '')).toBe(html);
    expect(out).toMatch(/^<p class="lead" id=x>\[fr\] Hello/);
    expect(out).toContain('<li>[fr] One</li>');
  });

  test('of attributes only title, alt, placeholder and aria-label are translated', async () => {
    const html =
      '<img src="Picture" alt="A cat" title="Cat"><input name="Name" placeholder="Your name" aria-label="Name field" value="Kept">';
    const { final_translation: out } = await accepted({ source_text: html, text_type: 'Html' });
    expect(out.replaceAll('[fr] ', '')).toBe(html);
    for (const attribute of ['alt="[fr] A cat"', 'title="[fr] Cat"', 'placeholder="[fr] Your name"']) {
      expect(out).toContain(attribute);
    }
    expect(out).toContain('aria-label="[fr] Name field"');
    for (const kept of ['src="Picture"', 'name="Name"', 'value="Kept"']) expect(out).toContain(kept);
  });

  test('Plain leaves markup to be text', async () => {
    const job = await accepted({ source_text: '<b>Hi</b>', text_type: 'Plain' });
    expect(job.request.text_type).toBe('Plain');
    expect(job.final_translation).toBe('[fr] <b>Hi</b>');
  });
});

describe('B 8, C 7: the ceiling of source_text counts code points', () => {
  const small = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MAX_SOURCE_CHARS: '10' } });

  test.each([
    ['one-unit characters', 'x'],
    ['astral characters of two units', '😀'],
    ['three-byte characters', '語'],
  ])('50,000 %s pass, one more is 413 source text exceeds MAX_SOURCE_CHARS', async (_name, character) => {
    const { headers } = await app.signUp();
    const text = character.repeat(50_000);
    const job = await accepted({ source_text: text }, headers);
    expect(job.final_translation).toBe(`[fr] ${text}`);
    const { status, body } = await submit({ source_text: text + character }, headers);
    expect(status).toBe(413);
    expect(body.detail).toContain('source text exceeds MAX_SOURCE_CHARS');
    expect((await app.json('GET', PATH, { headers })).body).toHaveLength(1);
  });

  test('MAX_SOURCE_CHARS moves the ceiling', async () => {
    const { headers } = await small.signUp();
    const send = (text: string) =>
      small.json('POST', PATH, { headers, body: { source_text: text, target_lang: 'fr' } });
    expect((await send('0123456789')).status).toBe(200);
    expect((await send('😀'.repeat(10))).status).toBe(200);
    expect((await send('0123456789a')).status).toBe(413);
    expect((await send('😀'.repeat(11))).status).toBe(413);
  });
});

describe('B 2.4: languages', () => {
  test.each(LANGUAGES)('%s is supported on both sides, in any case, and normalized', async (code) => {
    const other = code === 'en' ? 'fr' : 'en';
    for (const written of [code, code.toUpperCase(), code.toLowerCase()]) {
      const as = await accepted({ target_lang: written, source_lang: other });
      expect(as.request).toMatchObject({ target_lang: code, source_lang: other });
      expect(as.baseline_translation).toBe(`[${code}] Hello`);
      const from = await accepted({ target_lang: other, source_lang: written });
      expect(from.request).toMatchObject({ target_lang: other, source_lang: code });
    }
  });

  const rejected = [
    'en-US',
    'fr-FR',
    'zh',
    'pt',
    'zh-CN',
    'no',
    'es-419',
    'fr_CA',
    'fr-ca-x',
    'xx',
    'french',
    'Français',
    'ıd',
    'fr ',
    ' fr',
    'fr\n',
    '',
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
  ];

  test.each(rejected)(
    'target_lang %j: 422 with a string detail that lists the supported set',
    async (code) => {
      const { status, body } = await submit({ target_lang: code });
      expect(status).toBe(422);
      expect(body.detail).toEqual(expect.any(String));
      expect(body.detail).toContain(code.trim());
      const words = body.detail.split(/[^A-Za-z-]+/);
      for (const supported of LANGUAGES) expect(words).toContain(supported);
    },
  );

  test.each(rejected)('source_lang %j likewise', async (code) => {
    const { status, body } = await submit({ source_lang: code });
    expect(status).toBe(422);
    expect(body.detail).toEqual(expect.any(String));
    const words = body.detail.split(/[^A-Za-z-]+/);
    for (const supported of LANGUAGES) expect(words).toContain(supported);
  });

  test('a rejected language makes no job', async () => {
    await expectRefused({ target_lang: 'en-US' }, { status: 422, detail: /en-US/ });
  });
});

describe('B 2.6: metadata', () => {
  test('what the caller sends comes back as it was, on every reading', async () => {
    const metadata = {
      order: 7,
      'clé 😀': ['a', { b: null }, 1.5, true],
      '': 'empty name',
      nested: { tenant: { id: 'kept inside' }, deep: [[[]]] },
    };
    const job = await accepted({ metadata });
    expect(job.request.metadata).toMatchObject(metadata);
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
    expect(read.body.request.metadata).toMatchObject(metadata);
  });

  test.each([
    ['an object', { id: 'someone else', name: 'Evil', extra: 'smuggled' }],
    ['null', null],
    ['a string', 'smuggled'],
  ])('tenant is always overwritten: %s', async (_name, forged) => {
    const job = await accepted({ metadata: { tenant: forged } });
    expect(job.request.metadata.tenant).toEqual({ id: tenant.tenantId, name: 'Maison Übersetzung' });
  });

  test('review_pipeline_candidate sent on submission is discarded', async () => {
    const job = await accepted({ metadata: { review_pipeline_candidate: 'forged', kept: 1 } });
    expect(job.request.metadata).not.toHaveProperty('review_pipeline_candidate');
    expect(job.request.metadata.kept).toBe(1);
    const held = await accepted({ metadata: { review_pipeline_candidate: 'forged', sensitive: true } });
    expect(JSON.stringify(held)).not.toContain('forged');
  });

  test.each([
    ['provenance', { fast_path: 'tm_exact' }],
    ['golden_uri', 'file:///forged'],
    ['terminology_gate', { passed: true, missing_terms: ['forged'] }],
    ['terminology_gate_override', { forged: true }],
    ['terminology_matches', ['forged']],
    ['terminology_entries', ['forged']],
    ['primary_model', 'forged'],
  ])('read-only %s: what a caller writes there never stands', async (key, forged) => {
    const job = await accepted({ metadata: { [key]: forged, kept: 1 } });
    expect(job.request.metadata.kept).toBe(1);
    expect(job.request.metadata[key]).not.toEqual(forged);
  });

  test.each([
    ['a string', 'model-one,model-two'],
    ['an array', ['model-one', 'model-two', 'model-three']],
  ])(
    'candidate_models (%s) and primary_model are hidden from the tenant on every route',
    async (_name, models) => {
      const job = await accepted({
        metadata: { candidate_models: models, primary_model: 'model-zero', debate_rounds: 1 },
      });
      const read = await app.json('GET', `${PATH}/${job.id}`, { headers: tenant.headers });
      const list = await app.json('GET', `${PATH}?limit=200`, { headers: tenant.headers });
      const listed = list.body.find(({ id }: { id: string }) => id === job.id);
      for (const shown of [job, read.body, listed]) {
        expect(shown.request.metadata).not.toHaveProperty('candidate_models');
        expect(shown.request.metadata).not.toHaveProperty('primary_model');
        expect(JSON.stringify(shown)).not.toMatch(/model-(zero|one|two|three)/);
      }
    },
  );
});

describe('B 2.6: min_quality_score', () => {
  test.each([
    [-5, 0, 'published'],
    [0, 0, 'published'],
    [85, 85, 'published'],
    [92, 92, 'published'],
    [92.5, 92.5, 'awaiting_review'],
    [93, 93, 'awaiting_review'],
    [100, 100, 'awaiting_review'],
    [150, 100, 'awaiting_review'],
    [1e300, 100, 'awaiting_review'],
  ])('%d sets the threshold to %d, and a score of 92 is then %s', async (asked, threshold, status) => {
    const job = await accepted({ metadata: { min_quality_score: asked } });
    expect(job.status).toBe(status);
    expect(job.agent_run.quality_gate.threshold).toBe(threshold);
    expect(triggerCodes(job)).toEqual(status === 'published' ? [] : ['low_quality_score']);
  });

  test('without it the threshold is 85', async () => {
    const job = await accepted();
    expect(job.agent_run.quality_gate).toMatchObject({ decision: 'pass', score: 92, threshold: 85 });
  });

  test('0 lets through what scored 0', async () => {
    engineControl.bend = (answer) => {
      if ('score' in answer) answer['score'] = 0;
    };
    const job = await accepted({ metadata: { min_quality_score: 0 } });
    expect(job.agent_run.quality_gate).toMatchObject({ decision: 'pass', score: 0, threshold: 0 });
    expect(job.status).toBe('published');
  });
});

describe('B 2.1, 2.6, C 7: forced review', () => {
  test.each(['finance', 'financial', 'healthcare', 'legal', 'medical', 'pharma'])(
    'domain %s forces review with policy_required',
    async (domain) => {
      const job = await accepted({ domain });
      expect(job.status).toBe('awaiting_review');
      expect(triggerCodes(job)).toEqual(['policy_required']);
      expect(job.request.domain).toBe(domain);
    },
  );

  test.each(['marketing', 'legalese', 'finances', 'constructor', ''])(
    'domain %j forces nothing',
    async (domain) => {
      const job = await accepted({ domain });
      expect(job.status).toBe('published');
      expect(triggerCodes(job)).toEqual([]);
    },
  );

  test.each(['sensitive', 'regulated', 'requires_human_review'])(
    '%s, any truthy value, forces review with sensitive_content',
    async (flag) => {
      for (const value of [true, 1, -1, 'yes', 'false', '0', { a: 1 }, ['a']]) {
        const job = await accepted({ metadata: { [flag]: value } });
        expect(job.status).toBe('awaiting_review');
        expect(triggerCodes(job)).toEqual(['sensitive_content']);
        expect(job.request.metadata[flag]).toEqual(value);
      }
      for (const value of [false, 0, '', null]) {
        const job = await accepted({ metadata: { [flag]: value } });
        expect(job.status).toBe('published');
      }
    },
  );

  test('min_quality_score 0 does not lift a forced review', async () => {
    for (const fields of [{ domain: 'legal' }, {}]) {
      const sensitive = !('domain' in fields);
      const job = await accepted({ ...fields, metadata: { min_quality_score: 0, sensitive } });
      expect(job.status).toBe('awaiting_review');
    }
  });
});

describe('B 2.3: the quality gate', () => {
  const GATE_METADATA = [
    'assessment_score',
    'verification_score',
    'verification_passed',
    'risk_flags',
    'trigger_codes',
    'terminology_gate',
    'repaired',
  ];

  test('a passing gate has every field and its metadata', async () => {
    const { agent_run } = await accepted();
    const gate = agent_run.quality_gate;
    expect(gate).toMatchObject({
      decision: 'pass',
      score: 92,
      threshold: 85,
      triggers: [],
      reasons: [],
      metadata: {
        assessment_score: 92,
        verification_score: 92,
        verification_passed: true,
        risk_flags: expect.any(Array),
        trigger_codes: [],
        repaired: false,
      },
    });
    for (const key of GATE_METADATA) expect(gate.metadata).toHaveProperty(key);
    expect(gate.metadata).not.toHaveProperty('fast_path');
    expect(agent_run.human_review_task ?? null).toBeNull();
  });

  test('reasons are strings, one for each trigger, in the same order', async () => {
    const raise = { min_quality_score: 99 };
    const alone = await Promise.all([
      accepted({ domain: 'legal' }),
      accepted({ metadata: { sensitive: true } }),
      accepted({ metadata: raise }),
    ]);
    const reasonOf = new Map<string, string>();
    for (const { agent_run } of alone) {
      const { triggers, reasons } = agent_run.quality_gate;
      expect(triggers).toHaveLength(1);
      expect(reasons).toEqual([expect.stringMatching(/./)]);
      reasonOf.set(codeOf(triggers[0]), reasons[0]);
    }
    const codes = ['low_quality_score', 'policy_required', 'sensitive_content'];
    expect([...reasonOf.keys()].sort()).toEqual(codes);

    const together = await accepted({ domain: 'legal', metadata: { ...raise, sensitive: true } });
    const gate = together.agent_run.quality_gate;
    expect(triggerCodes(together).toSorted()).toEqual(codes);
    expect(gate.reasons).toEqual(triggerCodes(together).map((code) => reasonOf.get(code)));
    expect(gate.metadata.trigger_codes).toEqual(triggerCodes(together));
    expect(gate.decision).toBe('needs_human');
  });

  test('several flags at once stamp sensitive_content once', async () => {
    const metadata = { sensitive: true, regulated: 1, requires_human_review: 'yes' };
    const job = await accepted({ metadata });
    expect(triggerCodes(job)).toEqual(['sensitive_content']);
    expect(job.agent_run.quality_gate.reasons).toHaveLength(1);
  });

  test('low_quality_score: a score under the threshold is held', async () => {
    engineControl.bend = (answer) => {
      if ('score' in answer) answer['score'] = 84;
    };
    const job = await accepted();
    expect(triggerCodes(job)).toContain('low_quality_score');
    expect(job).toMatchObject({
      status: 'awaiting_review',
      agent_run: { quality_gate: { decision: 'needs_human', score: 84, threshold: 85 } },
    });
  });

  const issue = (severity: string) => ({
    severity,
    category: 'accuracy',
    span: 'Hello',
    explanation: 'the meaning is turned round',
    suggestion: null,
  });
  const raiseIssue = (severity: string) => {
    engineControl.bend = (answer) => {
      if (Array.isArray(answer['issues'])) answer['issues'] = [issue(severity)];
    };
  };

  test('critical_issue: any critical issue blocks publication, whatever the score', async () => {
    raiseIssue('critical');
    const job = await accepted({ metadata: { min_quality_score: 0 } });
    expect(job.status).toBe('awaiting_review');
    expect(triggerCodes(job)).toContain('critical_issue');
    expect(job.agent_run.quality_gate.reasons).toHaveLength(triggerCodes(job).length);
    expect(job.quality_assessment.issues).toEqual([issue('critical')]);
    expect(job.verification.issues).toEqual([issue('critical')]);
  });

  test.each(['minor', 'major'])('a %s issue does not block by itself', async (severity) => {
    raiseIssue(severity);
    const job = await accepted();
    expect(triggerCodes(job)).not.toContain('critical_issue');
    expect(job.quality_assessment.issues).toEqual([issue(severity)]);
    expect(job.status).toBe('published');
  });

  test('verification_failed: a verification that did not pass is held, whatever the score', async () => {
    engineControl.bend = (answer) => {
      if ('passed' in answer) answer['passed'] = false;
    };
    const job = await accepted({ metadata: { min_quality_score: 0 } });
    expect(job.status).toBe('awaiting_review');
    expect(triggerCodes(job)).toContain('verification_failed');
    expect(job.verification.passed).toBe(false);
    expect(job.agent_run.quality_gate.metadata.verification_passed).toBe(false);
  });

  test('every trigger of a held job is named in B 2.3, and at least one blocks', async () => {
    engineControl.bend = (answer) => {
      if ('score' in answer) answer['score'] = 10;
      if ('passed' in answer) answer['passed'] = false;
      if (Array.isArray(answer['issues'])) answer['issues'] = [issue('critical')];
    };
    const job = await accepted({ domain: 'pharma', metadata: { regulated: true } });
    const { triggers } = job.agent_run.human_review_task;
    const known =
      /^(policy_required|low_quality_score|critical_issue|terminology_uncertainty|terminology_noncompliant|sensitive_content|high_repair_delta|verification_failed|risk_flag)$/;
    for (const { code, severity } of triggers) {
      expect(code).toMatch(known);
      expect(severity).toMatch(/^(info|warning|blocking)$/);
    }
    expect(triggers.some(({ severity }: { severity: string }) => severity === 'blocking')).toBe(true);
    expect(triggers.map(codeOf)).toEqual(
      expect.arrayContaining([
        'policy_required',
        'sensitive_content',
        'low_quality_score',
        'critical_issue',
        'verification_failed',
      ]),
    );
    expect(new Set(triggers.map(codeOf)).size).toBe(triggers.length);
  });
});

describe('B 2.2, 2.3: the shape of a job', () => {
  test('a published job: scores and issues in every assessment, C 4', async () => {
    const job = await accepted();
    expect(job).toMatchObject({
      id: expect.stringMatching(HEX32),
      status: 'published',
      baseline_translation: '[fr] Hello',
      final_translation: '[fr] Hello',
      quality_assessment: { score: 92, issues: [], summary: expect.anything() },
      verification: { score: 92, issues: [], passed: true, summary: expect.anything() },
      agent_run: { status: expect.any(String), steps: expect.any(Array), error: null },
    });
    expect(job.refinement).toMatchObject({ score: 92, issues: [], applied: false, rounds: 0 });
    expect(job.refinement).toHaveProperty('summary');
    expect(job).not.toHaveProperty('usage');
  });

  test('a held job: an open task in its whole shape, beside the gate', async () => {
    const before = Date.now();
    const job = await accepted({ domain: 'medical', metadata: { min_quality_score: 99 } });
    const { human_review_task: task, quality_gate: gate } = job.agent_run;
    expect(task).toMatchObject({
      id: expect.stringMatching(HEX32),
      status: 'open',
      requested_by: 'review_gate_agent',
      reason: expect.stringMatching(/./),
      completed_by: null,
      created_at: expect.stringMatching(INSTANT),
      completed_at: null,
    });
    for (const text of [task.question, task.instructions]) {
      expect(text === null || typeof text === 'string').toBe(true);
    }
    expect(task.requested_actions.toSorted()).toEqual(['approve', 'modify', 'reject', 'save']);
    expect(Array.isArray(task.metadata)).toBe(false);
    expect(task.metadata).toEqual(expect.any(Object));
    expect(task.triggers.map(codeOf)).toEqual(gate.triggers.map(codeOf));
    expect(task.id).not.toBe(job.id);
    expect(Date.parse(task.created_at)).toBeGreaterThanOrEqual(before - 1000);
    expect(job.baseline_translation).toBe('[fr] Hello');
  });

  test('the steps have the fields of AgentStep, and all are over when the answer arrives', async () => {
    const job = await accepted();
    const { steps } = job.agent_run;
    expect(steps.length).toBeGreaterThan(0);
    const ids = new Set<string>();
    for (const step of steps) {
      expect(step).toMatchObject({
        id: expect.stringMatching(HEX32),
        name: expect.stringMatching(/./),
        actor: expect.stringMatching(/./),
        kind: expect.stringMatching(/^(agent|tool|human|system)$/),
        status: expect.stringMatching(/^(completed|skipped)$/),
        tool_calls: expect.any(Array),
        decisions: expect.any(Array),
        error: null,
        started_at: expect.stringMatching(INSTANT),
        completed_at: expect.stringMatching(INSTANT),
      });
      for (const key of ['input_summary', 'output_summary']) expect(step).toHaveProperty(key);
      expect(Date.parse(step.completed_at)).toBeGreaterThanOrEqual(Date.parse(step.started_at));
      for (const call of step.tool_calls) {
        expect(call).toMatchObject({ id: expect.stringMatching(HEX32), tool_name: expect.any(String) });
        expect(call.status).toMatch(/^(pending|running|completed|skipped|failed)$/);
      }
      for (const decision of step.decisions) {
        expect(decision).toMatchObject({
          id: expect.stringMatching(HEX32),
          label: expect.any(String),
          outcome: expect.any(String),
          created_at: expect.stringMatching(INSTANT),
        });
      }
      ids.add(step.id);
    }
    expect(ids.size).toBe(steps.length);
  });

  test('B 4.1: GET of the job, its list entry and the tRPC door all answer what the submission answered', async () => {
    const { headers } = await app.signUp();
    const fields = { domain: 'legal', metadata: { a: [1, { b: 'c' }] }, tone: 'formal' };
    const job = await accepted(fields, headers);
    const read = await app.json('GET', `${PATH}/${job.id}`, { headers });
    expect(read.status).toBe(200);
    expect(read.body).toEqual(job);
    const list = await app.json('GET', PATH, { headers });
    expect(list.body).toEqual([job]);
    const input = encodeURIComponent(JSON.stringify({ json: { job_id: job.id } }));
    const rpc = await app.json('GET', `/trpc/translations.get?input=${input}`, { headers });
    expect(rpc.body.result.data.json).toEqual(job);
  });

  test('ids are never given twice', async () => {
    const jobs = await Promise.all(Array.from({ length: 50 }, () => accepted()));
    expect(new Set(jobs.map(({ id }) => id)).size).toBe(50);
  });
});

describe('B 2.2: nothing of the operator in a tenant answer', () => {
  /** The paths of all keys of an answer, save what the caller wrote into metadata itself. */
  function* keysOf(value: unknown, path = ''): Generator<string> {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      const at = Array.isArray(value) ? `${path}[]` : `${path}.${key}`;
      yield at;
      yield* keysOf(inner, at);
    }
  }

  test.each([
    ['published', {}],
    ['held', { domain: 'legal', metadata: { sensitive: true } }],
    ['with candidates', { metadata: { candidate_models: ['other-model'], debate_rounds: 2 } }],
  ])('no model, token count, trace or step metadata on a job that is %s', async (_name, fields) => {
    engineControl.bend = (answer) => {
      if ('model' in answer) answer['model'] = 'model-of-the-operator';
      for (const name of ['inputTokens', 'outputTokens', 'totalTokens', 'input_tokens', 'output_tokens']) {
        if (name in answer) answer[name] = 7_654_321;
      }
    };
    const { headers, accessToken } = await app.signUp();
    const job = await accepted(fields, headers);
    const answers = [
      job,
      (await app.json('GET', `${PATH}/${job.id}`, { headers: { authorization: `Bearer ${accessToken}` } }))
        .body,
      (await app.json('GET', PATH, { headers })).body[0],
    ];
    const input = encodeURIComponent(JSON.stringify({ json: { job_id: job.id } }));
    const rpc = await app.json('GET', `/trpc/translations.get?input=${input}`, { headers });
    answers.push(rpc.body.result.data.json);
    for (const answer of answers) {
      const text = JSON.stringify(answer);
      expect(text).not.toContain('model-of-the-operator');
      expect(text).not.toContain('other-model');
      expect(text).not.toContain('7654321');
      const keys = [...keysOf(answer)];
      expect(keys).toContain('.agent_run.steps[].name');
      const hidden = keys.filter((key) =>
        /(^|\.)(model|models|candidate_models|primary_model|usage|.*_tokens|.*[tT]okens|.*trace.*|prompt)$/.test(
          key,
        ),
      );
      expect(hidden).toEqual([]);
      expect(keys.filter((key) => /\.steps\[\](\..+)?\.metadata$/.test(key))).toEqual([]);
    }
  });
});

describe('A 7.1, B 3.1: a pipeline that fails', () => {
  test('answers 500 internal error without the cause; the job stays as failed and is not billed', async () => {
    const { headers } = await app.signUp();
    engineControl.fail = () => new Error('the cause, 4711-secret');
    const answer = await submit({}, headers);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({
      detail: 'internal error',
      error_code: 'internal_error',
      request_id: answer.headers.get('x-request-id'),
    });
    const { body } = await app.json('GET', PATH, { headers });
    expect(body).toHaveLength(1);
    expect(body[0]).toMatchObject({ status: 'failed', agent_run: { error: 'internal error' } });
    expect(JSON.stringify(body)).not.toContain('4711-secret');
    expect(await usageOf(openSuperuser(app.superuserUrl), body[0].id)).toEqual([]);
  });

  test('B 4.2 rule 2: the same key re-runs a failed job under the same id, and bills it once', async () => {
    const { headers } = await app.signUp();
    const keyed = { ...headers, 'idempotency-key': 'again' };
    engineControl.fail = () => new Error('down');
    expect((await submit({}, keyed)).status).toBe(500);
    expect((await submit({}, keyed)).status).toBe(500);
    const failed = (await app.json('GET', PATH, { headers })).body;
    expect(failed).toHaveLength(1);

    engineControl.fail = undefined;
    const rerun = await submit({}, keyed);
    expect(rerun.status).toBe(200);
    expect(rerun.body).toMatchObject({
      id: failed[0].id,
      status: 'published',
      final_translation: '[fr] Hello',
      agent_run: { error: null },
    });
    expect(rerun.headers.get('idempotency-replayed')).not.toBe('true');

    const replay = await submit({}, keyed);
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(replay.body).toEqual(rerun.body);
    expect((await app.json('GET', PATH, { headers })).body).toHaveLength(1);
    expect(await usageOf(openSuperuser(app.superuserUrl), failed[0].id)).toHaveLength(1);
  });

  test('B 4.2 rule 2: 30 concurrent resends of a failed job run it once and bill it once', async () => {
    const { headers } = await app.signUp();
    const keyed = { ...headers, 'idempotency-key': 'stampede' };
    engineControl.fail = () => new Error('down');
    await submit({}, keyed);
    engineControl.fail = undefined;
    const [failed] = (await app.json('GET', PATH, { headers })).body;

    const single = await callsOf(() => accepted({}, headers));
    const before = engineControl.calls;
    const answers = await Promise.all(Array.from({ length: 30 }, () => submit({}, keyed)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([failed.id]));
    expect(engineControl.calls - before).toBe(single);
    expect(await usageOf(openSuperuser(app.superuserUrl), failed.id)).toHaveLength(1);
    const read = await app.json('GET', `${PATH}/${failed.id}`, { headers });
    expect(read.body.status).toBe('published');
  });

  /** Submits a job whose engine does not answer until it is let go; it stays pending that long. */
  async function strand(headers: Record<string, string>) {
    const engine = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    engineControl.hold = () => {
      engineControl.hold = undefined;
      reached.resolve();
      return engine.promise;
    };
    const answer = submit({}, headers);
    await reached.promise;
    const { body } = await app.json('GET', PATH, { headers });
    expect(body).toHaveLength(1);
    expect(body[0].status).toBe('pending');
    return { id: body[0].id as string, letGo: engine.resolve, answer };
  }

  async function lastTouched(jobId: string, minutesAgo: number) {
    const sql = openSuperuser(app.superuserUrl);
    const [table] = await tablesWith(sql, 'idempotency_key', 'updated_at');
    const { count } = await sql.unsafe(
      `update ${table} set updated_at = now() - interval '${minutesAgo} minutes' where job_id = $1`,
      [jobId],
    );
    expect(count).toBe(1);
  }

  test('B 4.2 rule 1: a job that is pending still is returned as it stands', async () => {
    const { headers } = await app.signUp();
    const keyed = { ...headers, 'idempotency-key': 'pending' };
    const first = await strand(keyed);
    await lastTouched(first.id, 9);
    const calls = engineControl.calls;
    const replay = await submit({}, keyed);
    expect(replay.status).toBe(200);
    expect(replay.body).toMatchObject({ id: first.id, status: 'pending' });
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(engineControl.calls).toBe(calls);
    first.letGo();
    expect((await first.answer).body).toMatchObject({ id: first.id, status: 'published' });
    expect(await usageOf(openSuperuser(app.superuserUrl), first.id)).toHaveLength(1);
  });

  test.each([
    ['answers', 'late-answer'],
    ['fails', 'late-failure'],
  ])(
    'B 4.2 rule 2: resends run a job left pending for 10 minutes once more; the run given up later %s',
    async (_how, late) => {
      const single = await callsOf(() => accepted());
      const { headers } = await app.signUp();
      const keyed = { ...headers, 'idempotency-key': late };
      const first = await strand(keyed);
      await lastTouched(first.id, 11);
      const before = engineControl.calls;
      const answers = await Promise.all(Array.from({ length: 10 }, () => submit({}, keyed)));
      for (const { status, body } of answers) {
        expect(status).toBe(200);
        expect(body.id).toBe(first.id);
      }
      expect(engineControl.calls - before).toBe(single);
      const rerun = await app.json('GET', `${PATH}/${first.id}`, { headers });
      expect(rerun.body.status).toBe('published');

      // C 7: the run that was given up writes nothing and bills nothing, should it come back.
      if (late === 'late-failure') engineControl.fail = () => new Error('too late');
      engineControl.bend = (answer) => {
        if (typeof answer['value'] === 'string') answer['value'] = 'a late answer';
        if ('score' in answer) answer['score'] = 1;
      };
      first.letGo();
      await first.answer;
      const after = await app.json('GET', `${PATH}/${first.id}`, { headers });
      expect(after.body).toEqual(rerun.body);
      expect(await usageOf(openSuperuser(app.superuserUrl), first.id)).toHaveLength(1);
    },
  );

  async function callsOf(work: () => Promise<unknown>): Promise<number> {
    const before = engineControl.calls;
    await work();
    return engineControl.calls - before;
  }
});

describe('B 4.2: idempotency', () => {
  const key = (value: string, headers = tenant.headers) => ({ ...headers, 'idempotency-key': value });

  test('a key that belongs to a job returns that job, with Idempotency-Replayed and no new work', async () => {
    const first = await submit({ source_text: 'Once' }, key('rule-1'));
    expect(first.status).toBe(200);
    expect(first.headers.get('idempotency-replayed')).not.toBe('true');
    expect(first.body.request.idempotency_key).toBe('rule-1');

    const calls = engineControl.calls;
    const again = await submit({ source_text: 'Once' }, key('rule-1'));
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    const other = await submit({ source_text: 'Something else', target_lang: 'de' }, key('rule-1'));
    expect(other.body).toEqual(first.body);
    expect(engineControl.calls).toBe(calls);
    expect(await usageOf(openSuperuser(app.superuserUrl), first.body.id)).toHaveLength(1);
  });

  test('a held job is returned as it stands', async () => {
    const first = await submit({ domain: 'legal' }, key('held'));
    const again = await submit({ domain: 'legal' }, key('held'));
    expect(again.body).toEqual(first.body);
    expect(again.body.status).toBe('awaiting_review');
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });

  test('the body field works like the header', async () => {
    const first = await submit({ idempotency_key: 'in-body' });
    expect(first.body.request.idempotency_key).toBe('in-body');
    for (const again of [await submit({ idempotency_key: 'in-body' }), await submit({}, key('in-body'))]) {
      expect(again.body.id).toBe(first.body.id);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
    }
  });

  test('B 2.1: the header fills the field only where it is absent or null', async () => {
    const both = await submit({ idempotency_key: 'field' }, key('header'));
    expect(both.body.request.idempotency_key).toBe('field');
    expect((await submit({ idempotency_key: 'field' })).body.id).toBe(both.body.id);
    const header = await submit({}, key('header'));
    expect(header.body.id).not.toBe(both.body.id);
    expect(header.body.request.idempotency_key).toBe('header');
  });

  test('without a key every submission is a job of its own', async () => {
    const [one, other] = [await accepted(), await accepted({ idempotency_key: null })];
    expect(one.id).not.toBe(other.id);
  });

  test('50 submissions with one key at the same time: one job, one run, one usage record', async () => {
    const { headers } = await app.signUp();
    const before = engineControl.calls;
    await accepted({}, headers);
    const single = engineControl.calls - before;
    const start = engineControl.calls;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        submit(
          { source_text: `Copy ${i}`, ...(i % 2 && { idempotency_key: 'fifty' }) },
          key('fifty', headers),
        ),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const fresh = answers.filter(({ headers: h }) => h.get('idempotency-replayed') !== 'true');
    expect(fresh).toHaveLength(1);
    expect(fresh[0]!.body.status).toBe('published');
    expect(engineControl.calls - start).toBe(single);

    const sql = openSuperuser(app.superuserUrl);
    const { id } = answers[0]!.body;
    expect(await usageOf(sql, id)).toHaveLength(1);
    const list = (await app.json('GET', PATH, { headers })).body;
    expect(list.map((job: { id: string }) => job.id)).toHaveLength(2);
    // What was answered last is what is stored.
    const read = await app.json('GET', `${PATH}/${id}`, { headers });
    expect(read.body).toEqual(fresh[0]!.body);
  });

  test('one key through both doors at once is still one job', async () => {
    const { headers } = await app.signUp();
    const fields = { source_text: 'Hello', target_lang: 'fr', idempotency_key: 'two-doors' };
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        if (i % 2) return (await app.json('POST', PATH, { headers, body: fields })).body.id;
        const rpc = await app.json('POST', '/trpc/translations.create', { headers, body: { json: fields } });
        return rpc.body.result.data.json.id;
      }),
    );
    expect(new Set(answers).size).toBe(1);
    expect((await app.json('GET', PATH, { headers })).body).toHaveLength(1);
  });

  test('30 keys at the same time are 30 jobs, each with its own text', async () => {
    const { headers } = await app.signUp();
    await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const job = await accepted({ source_text: `Text ${i}` }, key(`many-${i}`, headers));
        expect(job.request).toMatchObject({ source_text: `Text ${i}`, idempotency_key: `many-${i}` });
        expect(job.final_translation).toBe(`[fr] Text ${i}`);
      }),
    );
    expect((await app.json('GET', PATH, { headers })).body).toHaveLength(30);
  });

  test('rule 1: a key belongs to a tenant', async () => {
    const other = await app.signUp();
    const mine = await submit({}, key('shared'));
    const theirs = await submit({}, key('shared', other.headers));
    expect(theirs.body.id).not.toBe(mine.body.id);
    expect(theirs.headers.get('idempotency-replayed')).not.toBe('true');
    expect(theirs.body.request.metadata.tenant.id).toBe(other.tenantId);
  });

  test('a key is taken to the letter', async () => {
    const { headers } = await app.signUp();
    const ids = new Set<string>();
    for (const value of ['Key', 'key', 'key ', 'ke\u0301y', 'kéy', 'key%', 'k_y', '😀', '%00']) {
      ids.add((await accepted({ idempotency_key: value }, headers)).id);
    }
    expect(ids.size).toBe(9);
  });

  test('C 7: 1 to 255 characters, counted as code points', async () => {
    for (const value of ['k', 'k'.repeat(255), '😀'.repeat(255)]) {
      const job = await accepted({ idempotency_key: value });
      expect(job.request.idempotency_key).toBe(value);
      expect((await submit({ idempotency_key: value })).body.id).toBe(job.id);
    }
    for (const value of ['', 'k'.repeat(256), '😀'.repeat(256)]) {
      await expectRefused({ idempotency_key: value }, { status: 422 });
    }
    expect((await submit({}, key('k'.repeat(255)))).status).toBe(200);
    expect((await submit({}, key('k'.repeat(256)))).status).toBe(422);
  });

  test('a refused submission does not take the key', async () => {
    expect((await submit({ target_lang: 'xx' }, key('unspent'))).status).toBe(422);
    expect((await submit({ source_text: ' ' }, key('unspent'))).status).toBe(400);
    const job = await submit({}, key('unspent'));
    expect(job.status).toBe(200);
    expect(job.headers.get('idempotency-replayed')).not.toBe('true');
  });

  test('C 7: a replay needs the credential of the tenant', async () => {
    await accepted({}, key('guarded'));
    const { status } = await submit({}, { 'idempotency-key': 'guarded' });
    expect(status).toBe(401);
  });
});

describe('B 4.1: the order of the gates', () => {
  test('body, language and size are looked at before the credential', async () => {
    expect((await submit({ target_lang: 'xx' }, {})).status).toBe(422);
    expect((await submit({ source_text: ' ' }, {})).status).toBe(400);
    expect((await submit({ source_text: 'x'.repeat(50_001) }, {})).status).toBe(413);
    expect((await submit({ source_text: 42 }, {})).status).toBe(422);
    expect((await app.json('POST', PATH, { body: '{"source_text"' })).status).toBe(400);
    expect((await submit({}, {})).status).toBe(401);
  });
});

describe('B 8, A 8.1: what a job is billed', () => {
  test.each([
    ['code points, not code units', 'en', 'fr', 'a😀é', 3],
    ['blanks count', 'en', 'de', ' a b ', 5],
    ['a dense target weighs 3.5, rounded up once', 'en', 'ja', 'abc', 11],
    ['a dense source likewise', 'th', 'en', 'a', 4],
    ['dense on both sides is never squared', 'zh-Hans', 'ko', 'ab', 7],
    ['hi, mr and ne are dense too', 'en', 'ne', 'ab', 7],
    ['ur, fa and ar are not', 'ar', 'ur', 'ab', 2],
  ])('%s', async (_name, source, target, text, billable) => {
    const job = await accepted({ source_text: text, source_lang: source, target_lang: target });
    const [record, ...others] = await usageOf(openSuperuser(app.superuserUrl), job.id);
    expect(others).toEqual([]);
    expect(record?.billable_chars).toBe(billable);
    expect(String(record?.billing_period)).toContain(new Date().toISOString().slice(0, 7));
  });

  test('C 7: a held job is billed like a published one', async () => {
    const job = await accepted({ domain: 'legal', source_text: 'four' });
    const [record] = await usageOf(openSuperuser(app.superuserUrl), job.id);
    expect(record?.billable_chars).toBe(4);
  });
});

describe('C 4: the list', () => {
  const COUNT = 55;
  let owner: Signup;
  /** Newest first, as they were made one after another. */
  let ids: string[];

  beforeAll(async () => {
    owner = await app.signUp();
    ids = [];
    for (let i = 0; i < COUNT; i += 1) {
      const job = await accepted(
        { source_text: `Job ${i}`, ...(i % 5 === 0 && { domain: 'legal' }) },
        owner.headers,
      );
      ids.unshift(job.id);
    }
  });

  const list = (query: string, headers = owner.headers, at: TestApp = app) =>
    at.json('GET', `${PATH}${query}`, { headers });
  const idsOf = (body: { id: string }[]) => body.map(({ id }) => id);

  /** Follows the cursors from the first page to the last. */
  async function walk(query: string, signup = owner, between?: () => Promise<unknown>) {
    const pages: string[][] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const { status, headers, body } = await list(`?${query}${next}`, signup.headers);
      expect(status).toBe(200);
      pages.push(idsOf(body));
      cursor = headers.get('x-next-cursor');
      await between?.();
      expect(pages.length).toBeLessThan(100);
    } while (cursor !== null);
    return pages;
  }

  test('is a bare array, newest updated_at first, 50 without a limit', async () => {
    const { status, headers, body } = await list('');
    expect(status).toBe(200);
    expect(idsOf(body)).toEqual(ids.slice(0, 50));
    expect(headers.get('x-next-cursor')).toEqual(expect.any(String));
  });

  test('a tenant without jobs has an empty array and no cursor', async () => {
    const { headers } = await app.signUp();
    const answer = await list('', headers);
    expect(answer.body).toEqual([]);
    expect(answer.headers.get('x-next-cursor')).toBeNull();
  });

  test('limit is 1 to 200', async () => {
    expect(idsOf((await list('?limit=1')).body)).toEqual(ids.slice(0, 1));
    const all = await list('?limit=200');
    expect(idsOf(all.body)).toEqual(ids);
    expect(all.headers.get('x-next-cursor')).toBeNull();
  });

  test.each(['0', '-1', '201', '1.5', 'abc', '1e99', '99999999999999999999', '0x10', 'NaN', '%00'])(
    'C 7: limit=%s is 422 with an array that names it',
    async (limit) => {
      const { status, body } = await list(`?limit=${limit}`);
      expect(status).toBe(422);
      expect(body.detail[0]).toMatchObject({ msg: expect.any(String), type: expect.any(String) });
      expect(body.detail[0].loc).toContain('limit');
    },
  );

  test.each([1, 7, 10, 11, 54, 55])('a walk by %d meets every job exactly once, in order', async (limit) => {
    const pages = await walk(`limit=${limit}`);
    expect(pages.flat()).toEqual(ids);
    // No cursor leads to an empty page.
    expect(pages).toHaveLength(Math.ceil(COUNT / limit));
  });

  test('status filters, and the cursor keeps to the filter', async () => {
    const held = ids.filter((_, i) => (COUNT - 1 - i) % 5 === 0);
    const published = ids.filter((_, i) => (COUNT - 1 - i) % 5 !== 0);
    expect(idsOf((await list('?status=awaiting_review')).body)).toEqual(held);
    expect((await walk('status=published&limit=9')).flat()).toEqual(published);
    expect((await walk('status=awaiting_review&limit=3')).flat()).toEqual(held);
    expect((await list('?status=rejected')).body).toEqual([]);
  });

  test('every status of B 3.1 is accepted', async () => {
    const known =
      'pending translated refined awaiting_review approved human_edited rejected published failed persistence_failed';
    for (const status of known.split(' ')) expect((await list(`?status=${status}`)).status).toBe(200);
  });

  test.each(['nonsense', 'Published', '', 'published,failed', 'published%00'])(
    'C 7: status=%s is an unknown enum value: 422 with an array that names it',
    async (value) => {
      const { status, body } = await list(`?status=${value}`);
      expect(status).toBe(422);
      expect(body.detail[0].loc).toContain('status');
    },
  );

  test.each([
    'nonsense',
    '0',
    '-1',
    'bm9uc2Vuc2U',
    'e30',
    'W10',
    'bnVsbA',
    '%00',
    '%F0%9F%98%80',
    "';select%201--",
    'a'.repeat(4000),
    Buffer.from('{"updated_at":"nonsense","id":"x"}').toString('base64url'),
    Buffer.from('2026-13-45T99:99:99Z|x').toString('base64url'),
  ])('a cursor nobody gave out (%s) is 422', async (cursor) => {
    const { status, body } = await list(`?cursor=${cursor}`);
    expect(status).toBe(422);
    expect(body.detail).toBeDefined();
  });

  test('a cursor that was cut or lengthened is 422, or at least never a 5xx', async () => {
    const cursor = (await list('?limit=5')).headers.get('x-next-cursor')!;
    for (const bad of [
      cursor.slice(0, 4),
      cursor.slice(0, -3),
      `${cursor}AAAA`,
      cursor.split('').reverse().join(''),
    ]) {
      const { status } = await list(`?cursor=${encodeURIComponent(bad)}`);
      expect([200, 422]).toContain(status);
    }
    expect((await list(`?cursor=${encodeURIComponent(cursor.slice(0, 4))}`)).status).toBe(422);
  });

  test('a cursor of another tenant shows nothing of theirs', async () => {
    const cursor = (await list('?limit=5')).headers.get('x-next-cursor')!;
    const other = await app.signUp();
    const own = await accepted({}, other.headers);
    const { status, body } = await list(`?cursor=${encodeURIComponent(cursor)}`, other.headers);
    expect([200, 422]).toContain(status);
    if (status === 200) for (const { id } of body) expect(id).toBe(own.id);
  });

  test('jobs that arrive during a walk do not make it miss or repeat the others', async () => {
    const signup = await app.signUp();
    const made: string[] = [];
    for (let i = 0; i < 12; i += 1) made.unshift((await accepted({}, signup.headers)).id);
    const pages = await walk('limit=5', signup, () => accepted({}, signup.headers));
    expect(pages.flat()).toEqual(made);
  });

  test.each([
    ['all at the same instant', '0'],
    ['a microsecond apart', "interval '1 microsecond'"],
    ['a tenth of a millisecond apart', "interval '100 microseconds'"],
  ])('a walk over jobs updated %s still meets each exactly once', async (_name, apart) => {
    const signup = await app.signUp();
    const made: string[] = [];
    for (let i = 0; i < 23; i += 1) made.push((await accepted({}, signup.headers)).id);
    const sql = openSuperuser(app.superuserUrl);
    const [table, ...others] = await tablesWith(sql, 'idempotency_key', 'updated_at');
    expect(others).toEqual([]);
    const step = apart === '0' ? "interval '0'" : apart;
    const { count } = await sql.unsafe(
      `update ${table} set updated_at = timestamptz '2026-01-01T00:00:00Z' + ${step} * array_position($1::text[], job_id)
       where job_id = any($1::text[])`,
      [made],
    );
    expect(count).toBe(23);
    const walked = (await walk('limit=4', signup)).flat();
    expect(walked.toSorted()).toEqual(made.toSorted());
    if (apart !== '0') expect(walked).toEqual(made.toReversed());
  });
});
