import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { MemoryPenalty } from '#sdk/types.ts';
import { client } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Row } from '../../kit/box.tsx';
import { Field } from '../../kit/field.tsx';
import { Form } from '../../kit/form.tsx';
import { Badge } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { queryKeys } from '../../query-keys.ts';

const usePenalties = () =>
  useQuery({ queryKey: queryKeys.memory.penalties, queryFn: () => client.memory.penalties() });

/** The points that the matches of a TM lose; nothing for most TMs. */
export function PenaltyBadge({ setId }: { setId: string }) {
  const t = useT();
  const found = usePenalties().data?.find(({ set_id }) => set_id === setId);
  if (!found) return null;
  return <Badge>{t('sets.penalty_badge', { points: found.penalty, yearly: found.age_penalty })}</Badge>;
}

/** The penalties of a TM, to change them. */
export function Penalty({ setId }: { setId: string }) {
  const t = useT();
  const { data } = usePenalties();
  if (!data) return null;
  const saved = data.find(({ set_id }) => set_id === setId) ?? { penalty: 0, age_penalty: 0 };
  return (
    <details>
      <summary className="button">{t('sets.penalty')}</summary>
      <PenaltyForm key={`${saved.penalty} ${saved.age_penalty}`} saved={{ ...saved, set_id: setId }} />
    </details>
  );
}

function PenaltyForm({ saved }: { saved: MemoryPenalty }) {
  const t = useT();
  const queries = useQueryClient();
  const [next, setNext] = useState(saved);
  const save = async () => {
    await client.memory.setPenalty(next);
    await queries.invalidateQueries({ queryKey: queryKeys.memory.penalties });
    announce(t('common.saved'));
  };
  const points = (name: 'penalty' | 'age_penalty', label: string, max: number) => (
    <Field
      label={label}
      type="number"
      name={name}
      min={0}
      max={max}
      step={1}
      required
      value={String(next[name])}
      onValue={(value) => setNext({ ...next, [name]: Number(value) })}
    />
  );
  return (
    <Form action={t('common.save')} onSubmit={save}>
      <p className="hint">{t('sets.penalty_why')}</p>
      <Row gap={4}>
        {points('penalty', t('sets.penalty_points'), 30)}
        {points('age_penalty', t('sets.penalty_yearly'), 10)}
      </Row>
    </Form>
  );
}
