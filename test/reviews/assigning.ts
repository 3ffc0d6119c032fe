import { expect } from 'vitest';
import { applyRules } from '#server/review/assignments/rules.ts';
import type { Fields, Person } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { useReviewers } from '../translations/workplace/reviewers.ts';

const item = ({ id }: { id: string }) => ({ kind: 'job', id });

/** A pair of languages of a profile. */
export const pair = (target_lang: string, fields: Fields = {}) => ({
  source_lang: '*',
  target_lang,
  review: true,
  second: true,
  ...fields,
});

/** Creates a workspace with reviewers for each test, and functions for their assignments. */
export function useAssignments(app: TestApp) {
  const mine = useReviewers(app);
  const list = async (name: string, input: Fields = {}, as: Person = mine.founder): Promise<Fields[]> =>
    (await mine.call(`assignments.${name}`, input, as)).items;
  return {
    mine,
    item,
    /** Changes the assignment of one job, which must succeed. Returns the new version. */
    async assign(job: { id: string }, fields: Fields, as: Person = mine.founder): Promise<number> {
      const { results } = await mine.call('assignments.assign', { items: [item(job)], ...fields }, as);
      expect(results[0]).toMatchObject({ outcome: 'done' });
      return results[0].version;
    },
    /** Tries to change the assignment of one job. Returns the status and the reason. */
    async refusedAssign(job: Fields, fields: Fields, as: Person = mine.founder) {
      const { results } = await mine.call(
        'assignments.assign',
        { items: [{ kind: 'job', ...job }], ...fields },
        as,
      );
      expect(results[0].outcome).toBe('refused');
      return [results[0].http_status, results[0].detail];
    },
    list,
    ids: async (name: string, input: Fields = {}, as: Person = mine.founder) =>
      (await list(name, input, as)).map(({ id }) => id),
    /** Approves a job in its present version. */
    async approve(job: { id: string }, as: Person = mine.founder) {
      const { updated_at } = await mine.read(job.id);
      const { status, body } = await mine.review(job.id, { action: 'approve', updated_at }, as);
      return [status, status === 200 ? body.status : body.detail];
    },
    async pass(job: { id: string }, as: Person, fields: Fields = {}) {
      const { status, body } = await mine.refused('assignments.pass', { ...item(job), ...fields }, as);
      return [status, status === 200 ? body.step : body.detail];
    },
    saveProfile: (as: Person, fields: Fields) =>
      mine.call('assignments.saveProfile', { user_id: as.userId, ...fields }),
    saveRules: (...rules: Fields[]) =>
      mine.call('assignments.saveRules', {
        rules: rules.map((rule) => ({ assignee: null, second: null, due: null, ...rule })),
      }),
    apply: () => applyRules(app.services, { tenantId: mine.founder.tenantId }),
    audited: async (action: string) => [
      ...(await mine.sql()`select actor_kind, actor_id, target, details from audit_log
        where tenant_id = ${mine.founder.tenantId} and action = ${action} order by recorded_at`),
    ],
  };
}
