import { useEffect } from 'react';
import { setMailPreferences } from '../client.ts';
import { deployment } from '../deployment.ts';
import { useInterface } from '../i18n.tsx';

/**
 * Sends the language of the interface to the service, which then writes emails to the member in it: when the application
 * starts, and when the member selects another language. A failure is not shown, because the next start sends it again.
 */
export function useMailLanguage(isSignedIn: boolean): void {
  const { locale } = useInterface();
  useEffect(() => {
    if (deployment.mail && isSignedIn) void setMailPreferences({ language: locale }).catch(() => {});
  }, [locale, isSignedIn]);
}
