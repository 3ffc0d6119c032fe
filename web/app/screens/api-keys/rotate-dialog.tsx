import { useState } from 'react';
import { apiKeys } from '#sdk/api-keys.ts';
import type { ApiKey } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { Dialog, FormActions } from '../../parts/confirm-dialog.tsx';
import { useFormat } from '../../parts/format.ts';
import { fieldProblem, Problem } from '../../parts/problem.tsx';
import { ProofField, useProof } from '../../parts/proof-field.tsx';
import { useAction } from '../../parts/use-action.ts';
import type { Me } from '../../session/use-me.ts';
import { NewSecret } from './new-secret.tsx';

const hour = 3600;
const day = 24 * hour;

/** The overlaps that can be selected, in seconds. */
const overlaps: readonly number[] = [0, hour, day, 7 * day, 30 * day];

/** A dialog that gives an API key a new secret, and shows it once. */
export function RotateDialog({
  me,
  of,
  onChanged,
  onClose,
}: {
  me: Me;
  of: ApiKey;
  onChanged: (words: string) => Promise<unknown>;
  onClose: () => void;
}) {
  const t = useT();
  const format = useFormat();
  const [overlap, setOverlap] = useState(day);
  const [secret, setSecret] = useState<string>();
  const proof = useProof(me);
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    try {
      // The request has no retry. If the response is lost, a repeated request would end the secret of the first one.
      const rotated = await bound(apiKeys).rotate({
        key_id: of.key_id,
        overlap_seconds: overlap,
        ...proof.field,
      });
      setSecret(rotated.api_key);
      await onChanged(t('security.rotated'));
    } finally {
      proof.clear();
    }
  });
  if (secret !== undefined)
    return <NewSecret title={t('apiKeys.new_key')} value={secret} onClose={onClose} />;
  return (
    <Dialog title={t('apiKeys.rotate_title', { name: of.name })} onClose={onClose} isBusy={isBusy}>
      <form className="form" onSubmit={submit}>
        <p>{t('apiKeys.rotate_why')}</p>
        {error !== undefined && !fieldProblem(error, proof.name) && <Problem error={error} />}
        <label>
          {t('apiKeys.overlap')}
          <select value={overlap} onChange={({ target }) => setOverlap(Number(target.value))}>
            {overlaps.map((seconds) => (
              <option key={seconds} value={seconds}>
                {seconds === 0 ? t('apiKeys.no_overlap') : format.span(seconds)}
              </option>
            ))}
          </select>
        </label>
        <ProofField of={proof} error={error} />
        <FormActions action={t('apiKeys.rotate')} kind="danger" isBusy={isBusy} onClose={onClose} />
      </form>
    </Dialog>
  );
}
