import { afterAll, afterEach, beforeAll } from 'vitest';
import type { FakeOpenAi } from '#test/fakes/openai.ts';
import { type Killable, killableAlone } from '#test/faults/kills.ts';
import { connect } from '#test/setup/app.ts';
import { models } from '#test/translations/live.ts';

/**
 * Starts processes of the service that share one database and use the fake model. The processes of each test are killed
 * at its end.
 */
export function useProcesses(model: FakeOpenAi) {
  let killable: Killable;
  beforeAll(async () => {
    killable = await killableAlone({
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      OPENAI_MODEL: models.translator,
      OPENAI_REFINER_MODEL: models.refiner,
      OPENAI_MAX_RETRIES: '0',
    });
  });
  afterEach(() => killable.killAll());
  afterAll(() => killable?.end());

  return {
    sql: () => killable.sql,
    async start(env: Record<string, string> = {}, args = ['--api-only']) {
      const service = await killable.start(args.length > 0 ? 'api' : 'service', env);
      return { ...connect(service.address), service };
    },
  };
}
