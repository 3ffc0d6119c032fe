import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { MemoryPenalty } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useAction } from '../../parts/use-action.ts';
import { queryKeys } from '../../query-keys.ts';
import styles from './sets.module.css';

const usePenalties = () =>
  useQuery({ queryKey: queryKeys.memory.penalties, queryFn: () => client.memory.penalties() });

/** The points that the matches of a TM lose; nothing for most TMs. */
export function PenaltyBadge({ setId }: { setId: string }) {
  const t = useT();
  const found = usePenalties().data?.find(({ set_id }) => set_id === setId);
  if (!found) return null;
  return (
    <span className="badge">
      {t('sets.penalty_badge', { points: found.penalty, yearly: found.age_penalty })}
    </span>
  );
}

/** The penalties of a TM, to change them. */
export function Penalty({ setId }: { setId: string }) {
  const t = useT();
  const { data } = usePenalties();
  const queries = useQueryClient();
  const { run, error, isBusy } = useAction();
  if (!data) return null;
  const { penalty = 0, age_penalty = 0 } = data.find(({ set_id }) => set_id === setId) ?? {};
  const save = (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const points = (name: string) => Number(fields.get(name));
    const next: MemoryPenalty = {
      set_id: setId,
      penalty: points('penalty'),
      age_penalty: points('age_penalty'),
    };
    return run(async () => {
      await client.memory.setPenalty(next);
      await queries.invalidateQueries({ queryKey: queryKeys.memory.penalties });
      announce(t('common.saved'));
    });
  };
  return (
    <details>
      <summary>{t('sets.penalty')}</summary>
      <p className="hint">{t('sets.penalty_why')}</p>
      <form
        key={`${penalty} ${age_penalty}`}
        className={styles['penalty']}
        onSubmit={(event) => void save(event.currentTarget)(event)}
      >
        <label>
          {t('sets.penalty_points')}
          <input type="number" name="penalty" min={0} max={30} step={1} required defaultValue={penalty} />
        </label>
        <label>
          {t('sets.penalty_yearly')}
          <input
            type="number"
            name="age_penalty"
            min={0}
            max={10}
            step={1}
            required
            defaultValue={age_penalty}
          />
        </label>
        <button type="submit" disabled={isBusy}>
          {t('common.save')}
        </button>
      </form>
      {error ? <Problem error={error} /> : null}
    </details>
  );
}
