import type { MailWords } from './words.ts';

export const es: MailWords = {
  invite: {
    subject: 'Invitación al espacio de trabajo {workspace}',
    lead: '{by} te invita al espacio de trabajo {workspace} en LinguaLoop.',
    leadByOperator: 'El operador de LinguaLoop te invita al espacio de trabajo {workspace}.',
    action: 'Aceptar invitación',
    until: 'El enlace funciona una sola vez, hasta el {when}.',
    why: 'Si no esperabas esta invitación, ignora este correo. Sin el enlace no pasa nada.',
  },
  confirmation: {
    subject: 'Confirma tu dirección de correo',
    lead: 'Alguien creó una cuenta en LinguaLoop con esta dirección de correo. Si fuiste tú, confirma la dirección para poder recibir correos de LinguaLoop y enviar invitaciones.',
    action: 'Confirmar dirección',
    why: 'Si no fuiste tú, ignora este correo. Hasta que se confirme la dirección, la cuenta no recibe avisos por correo.',
  },
  resetLink: {
    subject: 'Establece una contraseña nueva',
    lead: 'Un administrador creó un enlace para que establezcas una contraseña nueva para el espacio de trabajo {workspace} en LinguaLoop.',
    leadOwn:
      'En el inicio de sesión de LinguaLoop se pidió una contraseña nueva para tu cuenta en el espacio de trabajo {workspace}.',
    action: 'Establecer contraseña',
    until: 'El enlace funciona una sola vez, hasta el {when}. Cierra todas tus sesiones.',
    why: 'Si no pediste una contraseña nueva, ignora este correo e informa a tu administrador. Tu contraseña no cambia.',
  },
  security: {
    authenticator: 'Nueva aplicación de autenticación en tu cuenta',
    recovery_codes: 'Nuevos códigos de recuperación en tu cuenta',
    password: 'Tu contraseña cambió',
    provider: 'El inicio de sesión único se vinculó a tu cuenta',
    lead: 'Cuenta en el espacio de trabajo {workspace} de LinguaLoop, {when}.',
    why: 'Si fuiste tú, no tienes que hacer nada. Si no, cambia tu contraseña y pide a un administrador del espacio de trabajo que restablezca tu aplicación de autenticación.',
    action: 'Abrir los ajustes de seguridad',
  },
  secondReview: {
    subject: 'Menos elementos exigen una segunda revisión',
    lead: 'Un administrador cambió las asignaciones o sus reglas en el espacio de trabajo {workspace} de LinguaLoop, y menos elementos exigen una segunda revisión, {when}.',
    why: 'Si no lo esperabas, revisa las reglas. El registro de auditoría indica quién las cambió.',
    action: 'Abrir las reglas de asignación',
  },
  digest: {
    subject: {
      one: '{n} elemento pendiente de revisión',
      other: '{n} elementos pendientes de revisión',
    },
    lead: {
      one: 'Hay {n} elemento pendiente de revisión en el espacio de trabajo {workspace}.',
      other: 'Hay {n} elementos pendientes de revisión en el espacio de trabajo {workspace}.',
    },
    assigned: { one: 'Tiene {n} elemento asignado.', other: 'Tiene {n} elementos asignados.' },
    dueSoon: { one: '{n} elemento vence en un día.', other: '{n} elementos vencen en un día.' },
    overdue: { one: '{n} elemento está vencido.', other: '{n} elementos están vencidos.' },
    action: 'Abrir la bandeja de entrada',
  },
  decisions: {
    approved: { one: 'Se aprobó {n} traducción.', other: 'Se aprobaron {n} traducciones.' },
    rejected: { one: 'Se rechazó {n} traducción.', other: 'Se rechazaron {n} traducciones.' },
    lead: 'Envío hecho por ti en el espacio de trabajo {workspace}. Las traducciones rechazadas no se publican.',
    open: 'Abrir las traducciones',
  },
  documents: {
    translated: { one: '{n} documento está traducido.', other: '{n} documentos están traducidos.' },
    failed: {
      one: 'No se pudo traducir {n} documento.',
      other: 'No se pudieron traducir {n} documentos.',
    },
    lead: 'Envío hecho por ti en el espacio de trabajo {workspace}.',
    openOne: 'Abrir el documento',
    openAll: 'Abrir los archivos',
  },
  link: 'Si el botón no funciona, abre esta URL:',
  why: 'Recibes este correo porque eres miembro del espacio de trabajo {workspace}.',
  unsubscribe: 'Desactivar los correos de este tipo',
};
