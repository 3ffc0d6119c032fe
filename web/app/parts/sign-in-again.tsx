import { useEffect, useRef } from 'react';
import { useT } from '../i18n.tsx';
import { PasswordSignIn } from '../screens/sign-in/password-sign-in.tsx';
import { signOut } from '../session/keeper.ts';

/** Asks a person whose session ended to sign in again, over what they work at; it stays as it is, and waiting calls go on. */
export function SignInAgain({ email, tenantId }: { email: string; tenantId: string }) {
  const t = useT();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again" onCancel={(event) => event.preventDefault()}>
      <h2 id="sign-in-again">{t('signin.again')}</h2>
      <p>{t('signin.again_why')}</p>
      <PasswordSignIn email={email} tenantId={tenantId} />
      <button type="button" className="plain" onClick={() => void signOut()}>
        {t('common.sign_out')}
      </button>
    </dialog>
  );
}
