import { useLayoutEffect, useRef } from 'react';
import type { Tokens } from '#sdk/tokens.ts';
import { deployment } from '../deployment.ts';
import { useT } from '../i18n.tsx';
import { PasswordForm } from '../screens/sign-in/password-form.tsx';
import { SignInSteps, useSignInSteps } from '../screens/sign-in/sign-in-steps.tsx';
import { SsoWindowButton } from '../screens/sign-in/sso-button.tsx';
import { StepLevel } from '../screens/sign-in/step-heading.tsx';
import { signOut } from '../session/keeper.ts';

/**
 * Asks a member whose session has ended to sign in again. The dialog is above the current screen, which stays
 * unchanged; after the sign-in, waiting requests continue. Members with single sign-on use another window.
 */
export function SignInAgain({ user }: { user: Tokens['user'] }) {
  const t = useT();
  const dialog = useRef<HTMLDialogElement>(null);
  const steps = useSignInSteps();
  const { step } = steps;
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // The email address is filled in, so the password gets the focus.
    shown?.querySelector<HTMLElement>('input:not([readonly])')?.focus();
    // Closing the dialog restores the focus.
    return () => shown?.close();
  }, []);
  const byProvider = user.provider === 'oauth2' && deployment.ssoProvider !== null;
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again" onCancel={(event) => event.preventDefault()}>
      <h2 id="sign-in-again">{t('signin.again')}</h2>
      <p>{t('signin.again_why')}</p>
      <StepLevel value={3}>
        {step && <SignInSteps steps={{ ...steps, step }} />}
        {!step && byProvider && <SsoWindowButton tenantId={user.tenant_id} />}
        {!step && !byProvider && (
          <PasswordForm email={user.email} tenantId={user.tenant_id} onAnswer={steps.advance} />
        )}
      </StepLevel>
      <button type="button" className="plain" onClick={() => void signOut()}>
        {t('common.sign_out')}
      </button>
    </dialog>
  );
}
