import { expect, test } from 'vitest';
import {
  addAdministrator,
  openOperators,
  operatorEnv,
  operatorWorkspace,
  type WorkspaceMember,
} from '#test/factories/operators.ts';
import { useTestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';
import { answered, engineOf } from '#test/setup/engine.ts';

const app = useTestApp({ env: operatorEnv, engine: engineOf(async () => answered(['Bonjour'], 7)) });

test('only an operator’s session shows the whole job without the operator key', async () => {
  await openOperators(app);
  const operator = await addAdministrator(app, 'first@ops.example');
  const unlisted = await addAdministrator(app, 'third@ops.example');
  const bare = await addAdministrator(app, 'second@ops.example');
  const sql = openSuperuser(app.superuserUrl);
  await sql`update tenants set monthly_char_limit = 1000 where tenant_id = ${operatorWorkspace}`;
  await sql`update users set totp_secret = null where user_id = ${bare.userId}`;

  // Each call needs another text, because a repeated text would be served from the TM.
  const submit = ({ bearer }: WorkspaceMember, source_text = 'Hello') =>
    app.json('POST', '/api/translations', {
      headers: bearer,
      body: { source_text, target_lang: 'fr', metadata: { candidate_models: ['other'] } },
    });
  const made = await submit(unlisted);
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const { id } = made.body;
  const read = ({ bearer }: WorkspaceMember, path = `/api/translations/${id}`) =>
    app.json('GET', path, { headers: bearer });

  const { body: whole } = await read(operator);
  expect(whole.quality_assessment.model).toBe('model');
  expect(whole.request.metadata.candidate_models).toEqual(['other']);
  expect(whole.agent_run.steps[0].metadata).toMatchObject({ models: ['model'], input_tokens: 7 });
  const { body: list } = await read(operator, '/api/translations');
  expect(list[0].agent_run.steps[0].metadata.models).toEqual(['model']);
  expect((await submit(operator, 'Good morning')).body.quality_assessment.model).toBe('model');

  for (const member of [unlisted, bare])
    for (const { status, body } of [await read(member), await read(member, '/api/translations'), made]) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/"model|tokens|losers|candidate_models/);
    }
});
