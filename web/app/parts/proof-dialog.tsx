import { useT } from '../i18n.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { procedures } from '../procedures.ts';
import { useProofRequest } from '../session/proof.ts';
import { type Me, useMe } from '../session/use-me.ts';
import { fieldProblem, Problem } from './problem.tsx';
import { ProofField, useProof } from './proof-field.tsx';
import { useAction } from './use-action.ts';

/** Asks for the password or a code when a change needs it. The dialog is above the screen or dialog of the change. */
export function ProofDialog() {
  const request = useProofRequest();
  const { data: me } = useMe();
  return request && me ? <Shown me={me} settle={request.settle} /> : null;
}

function Shown({ me, settle }: { me: Me; settle: (isGiven: boolean) => void }) {
  const t = useT();
  const proof = useProof(me);
  const { run, error, isBusy } = useAction();
  const submit = run(async () => {
    try {
      await procedures.auth.prove.mutate(proof.field);
    } finally {
      proof.clear();
    }
    settle(true);
  });
  const close = () => settle(false);
  return (
    <Dialog title={t('security.prove_title')} onClose={close} isBusy={isBusy}>
      <form className="form" onSubmit={submit}>
        <p>{t(proof.isImpossible ? 'security.prove_impossible' : 'security.prove_why')}</p>
        {error !== undefined && !fieldProblem(error, proof.name) && <Problem error={error} />}
        {!proof.isImpossible && <ProofField of={proof} error={error} />}
        <div className="actions">
          {!proof.isImpossible && (
            <button type="submit" className="primary" disabled={isBusy}>
              {t('security.prove')}
            </button>
          )}
          <button type="button" disabled={isBusy} onClick={close}>
            {t('common.cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
