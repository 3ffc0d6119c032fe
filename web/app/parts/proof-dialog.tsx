import { useT } from '../i18n.tsx';
import { Dialog } from '../kit/dialog.tsx';
import { Form } from '../kit/form.tsx';
import { procedures } from '../procedures.ts';
import { useProofRequest } from '../session/proof.ts';
import { type Me, useMe } from '../session/use-me.ts';
import { ProofField, useProof } from './proof-field.tsx';

/** Asks for the password or a code when a change needs it. The dialog is above the screen or dialog of the change. */
export function ProofDialog() {
  const request = useProofRequest();
  const { data: me } = useMe();
  return request && me ? <Shown me={me} settle={request.settle} /> : null;
}

function Shown({ me, settle }: { me: Me; settle: (isGiven: boolean) => void }) {
  const t = useT();
  const proof = useProof(me);
  const submit = async () => {
    try {
      await procedures.auth.prove.mutate(proof.field);
    } finally {
      proof.clear();
    }
    settle(true);
  };
  const close = () => settle(false);
  return (
    <Dialog title={t('security.prove_title')} onClose={close}>
      {proof.isImpossible ? (
        <>
          <p>{t('security.prove_impossible')}</p>
          <div className="actions">
            <button type="button" onClick={close}>
              {t('common.cancel')}
            </button>
          </div>
        </>
      ) : (
        <Form action={t('security.prove')} onSubmit={submit} onCancel={close}>
          <p>{t('security.prove_why')}</p>
          <ProofField of={proof} />
        </Form>
      )}
    </Dialog>
  );
}
