import { useState } from 'react';
import { useT } from '../i18n.tsx';
import { Field, PasswordField } from '../kit/field.tsx';
import type { Me } from '../session/use-me.ts';

/**
 * A proof of identity: an authenticator code; for members without an authenticator, and on request, the password. A
 * session that has set up the authenticator must give the password.
 */
export function useProof({ user }: Me) {
  const [value, setValue] = useState('');
  const [byPassword, setByPassword] = useState(!user.totp_enrolled);
  const name = byPassword ? ('password' as const) : ('mfa_code' as const);
  const clear = () => setValue('');
  return {
    name,
    value,
    setValue,
    /** The field of a request. */
    field: { [name]: name === 'mfa_code' ? value.trim() : value },
    clear,
    /** Whether the member has neither a password nor an authenticator. */
    isImpossible: byPassword && user.provider !== 'email',
    /** Changes to the other kind of proof; undefined if the member has only one. */
    change:
      user.totp_enrolled && user.provider === 'email'
        ? () => {
            clear();
            setByPassword(!byPassword);
          }
        : undefined,
  };
}

export function ProofField({ of }: { of: ReturnType<typeof useProof> }) {
  const t = useT();
  const isCode = of.name === 'mfa_code';
  const shared = {
    required: true,
    name: of.name,
    value: of.value,
    onValue: of.setValue,
    aside: of.change && (
      <button type="button" className="plain" onClick={of.change}>
        {t(isCode ? 'security.use_password' : 'security.use_code')}
      </button>
    ),
  };
  return isCode ? (
    <Field {...shared} label={t('security.proof_code')} autoComplete="one-time-code" inputMode="numeric" />
  ) : (
    <PasswordField {...shared} label={t('security.proof_password')} autoComplete="current-password" />
  );
}
