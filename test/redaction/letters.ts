/**
 * Made letters with known personal data. At least every third letter has given names that the recognizer's list lacks
 * (`judge.test.ts` verifies it). The same seed gives the same letters.
 */

export const letterKinds = [
  'names',
  'addresses',
  'emails',
  'phones',
  'accounts',
  'national_numbers',
  'birth_dates',
] as const;

export interface Planted {
  kind: (typeof letterKinds)[number];
  text: string;
}

export interface Letter {
  language: string;
  /** Paragraphs, one a line. */
  text: string;
  planted: Planted[];
  /** Whether its given names are unusual. */
  isRare: boolean;
}

type Random = (below: number) => number;

function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296) * below) | 0;
  };
}

const digits = (random: Random, count: number) =>
  Array.from({ length: count }, (_, at) => (at === 0 ? 1 + random(9) : random(10))).join('');

const sum = (text: string, weights: readonly number[]) =>
  weights.reduce((all, weight, at) => all + weight * Number(text[at]), 0);

function luhnDigit(text: string): string {
  for (let digit = 0; digit < 10; digit++) {
    let total = 0;
    for (const [at, unit] of [...`${text}${digit}`].reverse().entries()) {
      const value = Number(unit) * (at % 2 ? 2 : 1);
      total += value > 9 ? value - 9 : value;
    }
    if (total % 10 === 0) return String(digit);
  }
  throw new Error('no digit');
}

function ibanOf(country: string, account: string): string {
  const moved = `${account}${country}00`.replace(/[A-Z]/g, (unit) => String(unit.charCodeAt(0) - 55));
  return `${country}${String(98n - (BigInt(moved) % 97n)).padStart(2, '0')}${account}`;
}

const grouped = (text: string, size = 4) => text.replace(new RegExp(`(.{${size}})(?=.)`, 'g'), '$1 ');
const two = (value: number) => String(value).padStart(2, '0');

/** National numbers, computed here without code of the recognizer. */
const nationalNumbers: Record<string, ((random: Random) => string)[]> = {
  en: [
    (random) => `${two(1 + random(60))}${1 + random(9)}-${two(1 + random(90))}-${digits(random, 4)}`,
    (random) => `AB ${grouped(digits(random, 6), 2)} C`,
  ],
  de: [
    (random) => {
      const base = digits(random, 10);
      let product = 10;
      for (const digit of base) product = (((Number(digit) + product) % 10 || 10) * 2) % 11;
      return base + ((11 - product) % 10);
    },
    (random) => `65${two(1 + random(28))}${two(1 + random(12))}${two(random(90))}M${digits(random, 3)}`,
  ],
  fr: [
    (random) => {
      const base = `${1 + random(2)}${two(40 + random(59))}${two(1 + random(12))}75${digits(random, 6)}`;
      const key = two(97 - Number(BigInt(base) % 97n));
      return `${base[0]} ${base.slice(1, 3)} ${base.slice(3, 5)} ${base.slice(5, 7)} ${base.slice(7, 10)} ${base.slice(10)} ${key}`;
    },
  ],
  es: [
    (random) => {
      const base = digits(random, 8);
      return base + 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(base) % 23];
    },
    (random) => {
      const base = digits(random, 7);
      return `X-${base}-${'TRWAGMYFPDXBNJZSQVHLCKE'[Number(base) % 23]}`;
    },
  ],
  it: [
    (random) => {
      const base = `RSSMRA${two(40 + random(59))}A${two(1 + random(28))}H501`;
      const code = `${base.slice(0, 12)}${digits(random, 3)}`.slice(0, 15);
      const odd = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
      ];
      const value = (unit: string) => (/\d/.test(unit) ? Number(unit) : unit.charCodeAt(0) - 65);
      const total = [...code].reduce((all, unit, at) => all + (at % 2 ? value(unit) : odd[value(unit)]!), 0);
      return code + String.fromCharCode(65 + (total % 26));
    },
  ],
  pt: [
    (random) => {
      const rest = (text: string, from: number) => {
        const left =
          11 -
          (sum(
            text,
            Array.from({ length: from - 1 }, (_, at) => from - at),
          ) %
            11);
        return left > 9 ? 0 : left;
      };
      const base = digits(random, 9);
      const first = base + rest(base, 10);
      const all = first + rest(first, 11);
      return `${all.slice(0, 3)}.${all.slice(3, 6)}.${all.slice(6, 9)}-${all.slice(9)}`;
    },
  ],
  nl: [
    (random) => {
      for (;;) {
        const base = digits(random, 8);
        const rest = sum(base, [9, 8, 7, 6, 5, 4, 3, 2]) % 11;
        if (rest < 10) return base + rest;
      }
    },
  ],
  ru: [
    (random) => {
      const base = digits(random, 9);
      const check = two((sum(base, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100);
      return `${base.slice(0, 3)}-${base.slice(3, 6)}-${base.slice(6)} ${check}`;
    },
    (random) => {
      const base = digits(random, 10);
      const first = base + ((sum(base, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10);
      return first + ((sum(first, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10);
    },
  ],
};

interface Wording {
  usual: { f: string; m: string };
  rare: { f: string; m: string };
  surnames: string;
  title: { f: string; m: string };
  /** Lines of the letter; `{…}` stands for planted data. */
  lines: string[][];
  streets: string[];
  phones: ((random: Random) => string)[];
  iban: (random: Random) => string;
  /** Sentences without personal data, with names of products, places, days, sums and numbers. */
  others: string[];
}

const wordings: Record<string, Wording> = {
  en: {
    usual: { f: 'Emily Hannah Rebecca Megan Alice', m: 'George Harry Edward Trevor Kenneth' },
    rare: { f: 'Oluwaseun Xochitl Siobhán Nkechi Wrenly', m: 'Kwabena Tadhg Zaphod Ikaika Bjornar' },
    surnames: 'Whitfield; Okonkwo; Ashdown; MacIntyre; O’Hara; Featherstone-Hughes; Penhaligon; Trask',
    title: { f: 'Ms', m: 'Mr' },
    lines: [
      ['{street}', 'Phone: {phone}', 'Email: {email}'],
      ['Dear {title} {surname},', 'Dear {given},', 'Dear Dr. {surname},'],
      [
        'Your national insurance or social security number {national} is on file, and your date of birth is {birth}.',
        'We have recorded {national}; the patient was born on {birth}.',
      ],
      ['Please pay to {iban} or with card {card}.', 'The card {card} was charged, and {iban} was credited.'],
      ['{full2} will call you tomorrow.', 'Your adviser is Mr {surname2}, whom you can reach at {email2}.'],
      ['Yours sincerely,', 'Kind regards,'],
      ['{full3}'],
    ],
    streets: [
      '14 Long Meadow Road, Bristol, BS1 4DJ',
      '221 Baker Street, London NW1 6XE',
      '1600 Willow Creek Drive, Springfield, IL 62704',
      '7 Mill Lane',
    ],
    phones: [
      (r) => `+44 20 ${digits(r, 4)} ${digits(r, 4)}`,
      (r) => `(555) ${digits(r, 3)}-${digits(r, 4)}`,
      (r) => `020 ${digits(r, 4)} ${digits(r, 4)}`,
    ],
    iban: (r) => grouped(ibanOf('GB', `NWBK${digits(r, 14)}`)),
    others: [
      'The order 4500018231 of 12 May 2024 was delivered on Monday.',
      'Our office in Manchester is closed in August.',
      'The total is £1,249.50, including VAT of 20%.',
      'Version 3.12.4 of LinguaLoop Server runs on Windows 11 and Ubuntu 24.04.',
      'We will grant you a discount, and the art of the deal is yours.',
      'Invoice 2024-00123 refers to article 978-3-16-148410-0.',
    ],
  },
  de: {
    usual: { f: 'Sabine Ursula Katrin Heike Anneliese', m: 'Jürgen Thomas Matthias Uwe Detlef' },
    rare: {
      f: 'Yüksel-Ada Thuy-Trang Zwaantje Oluchi Wiebkea',
      m: 'Hinnerksen Ngozi Eklavya Tarkwin Bekele',
    },
    surnames: 'Müller-Lüdenscheidt; Krawczyk; Vogelsang; Özdemir; Hohenadl; Brettschneider; Zschoche; Ißleib',
    title: { f: 'Frau', m: 'Herr' },
    lines: [
      ['{street}', 'Telefon: {phone}', 'E-Mail: {email}'],
      ['Sehr geehrte(r) {title} {surname},', 'Hallo {given},', 'Guten Tag {title} Dr. {surname},'],
      [
        'Ihre Steuer-Identifikationsnummer {national} liegt uns vor, Ihr Geburtsdatum ist der {birth}.',
        'Die Nummer {national} gehört zu der Person, geboren am {birth}.',
      ],
      ['Bitte überweisen Sie auf {iban}; die Karte {card} wurde belastet.'],
      [
        'Morgen ruft Sie {full2} an.',
        'Ihre Ansprechpartnerin ist Frau {surname2}, erreichbar unter {email2}.',
      ],
      ['Mit freundlichen Grüßen', 'Viele Grüße'],
      ['{full3}'],
    ],
    streets: [
      'Hauptstraße 5, 10115 Berlin',
      'Am Alten Markt 12 a, 50667 Köln',
      'Karl-Marx-Allee 101',
      'Goethestr. 7, 60313 Frankfurt',
    ],
    phones: [
      (r) => `+49 30 ${digits(r, 7)}`,
      (r) => `0${digits(r, 3)} ${digits(r, 7)}`,
      (r) => `0${digits(r, 2)}/${digits(r, 6)}-${digits(r, 2)}`,
    ],
    iban: (r) => grouped(ibanOf('DE', digits(r, 18))),
    others: [
      'Die Bestellung 4500018231 vom 12. Mai 2024 wurde am Montag geliefert.',
      'Unser Büro in München ist im August geschlossen.',
      'Der Gesamtbetrag ist 1.249,50 €, darin 19 % Mehrwertsteuer.',
      'Die Version 3.12.4 von LinguaLoop Server läuft unter Windows 11.',
      'Der Ernst der Lage ist bekannt, und die Rose im Garten blüht.',
      'Die Rechnung 2024-00123 betrifft den Artikel 978-3-16-148410-0.',
    ],
  },
  fr: {
    usual: { f: 'Sylvie Nathalie Brigitte Chantal Monique', m: 'Thierry Philippe Laurent Didier Yves' },
    rare: {
      f: 'Maëlysse-Ondine Fatoumata Rozenn Aïssatou Xuan',
      m: 'Mamadou Gwendal Zéphirin Ousmane Tuan-Anh',
    },
    surnames: 'Lefebvre; Dufresne; d’Artagnan; Ben-Ammar; Kerguelen; Thibodeaux; Ngoma; Saint-Exupéry',
    title: { f: 'Madame', m: 'Monsieur' },
    lines: [
      ['{street}', 'Tél. : {phone}', 'Courriel : {email}'],
      ['{title} {surname},', 'Bonjour {given},', 'Cher Dr {surname},'],
      [
        'Votre numéro de sécurité sociale {national} est enregistré ; vous êtes né(e) le {birth}.',
        'Nous avons noté {national} et la date de naissance {birth}.',
      ],
      ['Veuillez payer sur le compte {iban} ou avec la carte {card}.'],
      ['{full2} vous appellera demain.', 'Votre conseillère est Mme {surname2}, joignable à {email2}.'],
      ['Cordialement,', 'Salutations distinguées,'],
      ['{full3}'],
    ],
    streets: [
      '12 bis, rue de la Paix, 75002 Paris',
      '8 avenue Jean Jaurès, 69007 Lyon',
      '24 chemin des Vignes',
      '5, place du Marché, 31000 Toulouse',
    ],
    phones: [(r) => `+33 6 ${grouped(digits(r, 8), 2)}`, (r) => `06 ${grouped(digits(r, 8), 2)}`],
    iban: (r) => grouped(ibanOf('FR', digits(r, 23))),
    others: [
      'La commande 4500018231 du 12 mai 2024 a été livrée lundi.',
      'Notre bureau de Marseille est fermé en août.',
      'Le total est de 1 249,50 €, dont 20 % de TVA.',
      'La version 3.12.4 de LinguaLoop Server fonctionne sous Windows 11.',
      'La pierre de la façade est blanche, et la rose est en fleur.',
      'La facture 2024-00123 concerne l’article 978-3-16-148410-0.',
    ],
  },
  es: {
    usual: { f: 'Lucía Ester Guadalupe Rocío Leticia', m: 'Javier Rodrigo Alberto Gerardo Esteban' },
    rare: {
      f: 'Itziarne Yatzil Nerealba Uxuezne Citlalmina',
      m: 'Unaiko Cuitláhuac Eneko-Beñat Nahuelito Gorkatxo',
    },
    surnames: 'Etxeberria; Fernández-Oquendo; Zubizarreta; Ibáñez; Quispe; Peñalosa; Urrutikoetxea; Ñíguez',
    title: { f: 'Sra.', m: 'Sr.' },
    lines: [
      ['{street}', 'Teléfono: {phone}', 'Correo: {email}'],
      ['Estimado/a {title} {surname}:', 'Hola, {given}:', 'Estimada Dra. {surname}:'],
      [
        'Su DNI o NIE {national} consta en el expediente, y su fecha de nacimiento es {birth}.',
        'Hemos anotado {national}; la paciente nació el {birth}.',
      ],
      ['Pague en la cuenta {iban} o con la tarjeta {card}.'],
      ['Mañana le llamará {full2}.', 'Su gestora es la Sra. {surname2}, con correo {email2}.'],
      ['Atentamente,', 'Un saludo,'],
      ['{full3}'],
    ],
    streets: [
      'Calle de Alcalá, 12, 28014 Madrid',
      'Avda. Diagonal 401, 08008 Barcelona',
      'Plaza Mayor, n.º 3',
      'C/ Sierpes 44, 41004 Sevilla',
    ],
    phones: [
      (r) => `+34 ${6 + r(2)}${digits(r, 2)} ${digits(r, 3)} ${digits(r, 3)}`,
      (r) => `9${digits(r, 2)} ${grouped(digits(r, 6), 2)}`,
    ],
    iban: (r) => grouped(ibanOf('ES', digits(r, 20))),
    others: [
      'El pedido 4500018231 del 12 de mayo de 2024 se entregó el lunes.',
      'Nuestra oficina de Valencia cierra en agosto.',
      'El total es de 1.249,50 €, con un 21 % de IVA.',
      'La versión 3.12.4 de LinguaLoop Server funciona en Windows 11.',
      'La luz del mar es clara, y la esperanza es verde.',
      'La factura 2024-00123 se refiere al artículo 978-3-16-148410-0.',
    ],
  },
  it: {
    usual: {
      f: 'Giulia Francesca Elisabetta Simona Valentina',
      m: 'Alessandro Giuseppe Salvatore Gianluca Vittorio',
    },
    rare: {
      f: 'Ngozika Bibianella Xhensila Zelmirina Ifeoma',
      m: 'Gjergji Fiorfredo Tadeuccio Babacar Ermenulfo',
    },
    surnames: 'Bonaventura; Scognamiglio; D’Alessandro; Dell’Acqua; Pfitscher; Hoxha; Mastrangelo; Zuccon',
    title: { f: 'Signora', m: 'Signor' },
    lines: [
      ['{street}', 'Telefono: {phone}', 'E-mail: {email}'],
      ['Gentile {title} {surname},', 'Ciao {given},', 'Egregio Dott. {surname},'],
      [
        'Il suo codice fiscale {national} è registrato; la data di nascita è {birth}.',
        'Abbiamo annotato {national}; il paziente è nato il {birth}.',
      ],
      ['Paghi sul conto {iban} o con la carta {card}.'],
      ['Domani la chiamerà {full2}.', 'La sua consulente è la Sig.ra {surname2}, all’indirizzo {email2}.'],
      ['Cordiali saluti', 'Distinti saluti,'],
      ['{full3}'],
    ],
    streets: [
      'Via Roma 5, 20121 Milano',
      'Piazza Garibaldi, 12, 80142 Napoli',
      'Corso Vittorio Emanuele II 101',
      'Viale dei Mille 7, 50131 Firenze',
    ],
    phones: [(r) => `+39 3${digits(r, 2)} ${digits(r, 7)}`, (r) => `06 ${digits(r, 8)}`],
    iban: (r) => grouped(ibanOf('IT', `X${digits(r, 22)}`)),
    others: [
      'L’ordine 4500018231 del 12 maggio 2024 è stato consegnato lunedì.',
      'Il nostro ufficio di Torino è chiuso in agosto.',
      'Il totale è di 1.249,50 €, con il 22% di IVA.',
      'La versione 3.12.4 di LinguaLoop Server funziona su Windows 11.',
      'La stella del mattino è la luce della speranza.',
      'La fattura 2024-00123 riguarda l’articolo 978-3-16-148410-0.',
    ],
  },
  pt: {
    usual: { f: 'Beatriz Fernanda Mariana Patrícia Raquel', m: 'Gustavo Leonardo Eduardo Marcelo Rafael' },
    rare: {
      f: 'Iracemalva Jupiára Ayumiko Thayonara Ximenara',
      m: 'Ubiratãzinho Caetanólio Wanderlêi Itamarão Peregrílio',
    },
    surnames: 'Cavalcanti; Figueiredo; Conceição-Reis; Nakamura; Guimarães; Bragança; Taveira; Sousândrade',
    title: { f: 'Sra.', m: 'Sr.' },
    lines: [
      ['{street}', 'Telefone: {phone}', 'E-mail: {email}'],
      ['Prezado(a) {title} {surname},', 'Olá {given},', 'Prezada Dra. {surname},'],
      [
        'O seu CPF {national} está registrado, e a data de nascimento é {birth}.',
        'Anotamos {national}; a paciente nasceu em {birth}.',
      ],
      ['Pague na conta {iban} ou com o cartão {card}.'],
      ['Amanhã, {full2} vai ligar.', 'A sua consultora é a Sra. {surname2}, no endereço {email2}.'],
      ['Atenciosamente,', 'Cumprimentos,'],
      ['{full3}'],
    ],
    streets: [
      'Rua das Flores, 123, 1200-194 Lisboa',
      'Avenida Paulista, 1578, 01310-200 São Paulo',
      'Travessa do Carmo, n.º 3',
      'Praça da República 45',
    ],
    phones: [
      (r) => `+55 11 9${digits(r, 4)}-${digits(r, 4)}`,
      (r) => `(21) 9${digits(r, 4)}-${digits(r, 4)}`,
    ],
    iban: (r) => grouped(ibanOf('PT', digits(r, 21))),
    others: [
      'O pedido 4500018231 de 12 de maio de 2024 foi entregue na segunda-feira.',
      'O nosso escritório em Coimbra fecha em agosto.',
      'O total é de R$ 1.249,50, com 12% de imposto.',
      'A versão 3.12.4 do LinguaLoop Server funciona no Windows 11.',
      'A luz do mar é clara, e a esperança é verde.',
      'A fatura 2024-00123 refere-se ao artigo 978-3-16-148410-0.',
    ],
  },
  nl: {
    usual: { f: 'Marieke Annemiek Saskia Ingrid Willemijn', m: 'Maarten Pieter Jeroen Wouter Sjoerd' },
    rare: {
      f: 'Gjaltje-Riemkje Abenaa Ytskeline Shaniqua Fenneliese',
      m: 'Kwamina Oepkema Reitzejan Sytzebouke Tjebbele',
    },
    surnames:
      'van der Berg; de Vries-Jansen; Hoogendoorn; Ouwehand; ter Horst; El Khatib; Wijnaldum; Pietersma',
    title: { f: 'mevrouw', m: 'heer' },
    lines: [
      ['{street}', 'Telefoon: {phone}', 'E-mail: {email}'],
      ['Geachte {title} {surname},', 'Hallo {given},', 'Beste dr. {surname},'],
      [
        'Uw burgerservicenummer {national} is bekend, en uw geboortedatum is {birth}.',
        'Het BSN {national} hoort bij de persoon, geboren op {birth}.',
      ],
      ['Betaal op {iban} of met kaart {card}.'],
      ['Morgen belt {full2} u.', 'Uw adviseur is mevrouw {surname2}, bereikbaar via {email2}.'],
      ['Met vriendelijke groet,', 'Hoogachtend,'],
      ['{full3}'],
    ],
    streets: [
      'Keizersgracht 12, 1015 CP Amsterdam',
      'Dorpsstraat 7 a, 3511 AB Utrecht',
      'Prinses Beatrixlaan 101',
      'Oude Markt 5, 9712 JH Groningen',
    ],
    phones: [(r) => `+31 6 ${digits(r, 8)}`, (r) => `020-${digits(r, 7)}`],
    iban: (r) => grouped(ibanOf('NL', `ABNA${digits(r, 10)}`)),
    others: [
      'De bestelling 4500018231 van 12 mei 2024 is maandag geleverd.',
      'Ons kantoor in Rotterdam is in augustus gesloten.',
      'Het totaal is € 1.249,50, inclusief 21% btw.',
      'Versie 3.12.4 van LinguaLoop Server werkt op Windows 11.',
      'De ster van de avond staat aan de hemel.',
      'Factuur 2024-00123 gaat over artikel 978-3-16-148410-0.',
    ],
  },
  ru: {
    usual: { f: 'Татьяна Светлана Людмила Галина Ирина', m: 'Дмитрий Сергей Николай Андрей Владимир' },
    rare: { f: 'Айгульсу Зулейха Сэлэмэ Бэлигма Нюргуяна', m: 'Айтмырза Дугаржап Эрчимэн Нюргустан Бэргэн' },
    surnames: 'Васнецов; Шевцов; Оболенский; Нурмагомедов; Ким; Тер-Петросян; Лебедь; Громыко',
    title: { f: 'Госпожа', m: 'Господин' },
    lines: [
      ['{street}', 'Телефон: {phone}', 'Почта: {email}'],
      ['{title} {surname}!', 'Здравствуйте, {given}!', 'Уважаемый доктор {surname}!'],
      [
        'Ваш номер СНИЛС или ИНН {national} есть в деле, дата рождения {birth}.',
        'Мы записали {national}; пациент родился {birth}.',
      ],
      ['Оплатите на счёт {iban} или картой {card}.'],
      ['Завтра вам позвонит {full2}.', 'Ваш консультант г-жа {surname2}, почта {email2}.'],
      ['С уважением,', 'С наилучшими пожеланиями,'],
      ['{full3}'],
    ],
    streets: [
      'ул. Ленина, д. 7, кв. 5',
      'Невский проспект, 28',
      'проспект Мира, 101',
      'ул. Малая Бронная, дом 12',
    ],
    phones: [
      (r) => `+7 9${digits(r, 2)} ${digits(r, 3)}-${two(10 + r(80))}-${two(10 + r(80))}`,
      (r) => `8 (495) ${digits(r, 3)}-${two(10 + r(80))}-${two(10 + r(80))}`,
    ],
    iban: (r) => grouped(ibanOf('KZ', digits(r, 16))),
    others: [
      'Заказ 4500018231 от 12 мая 2024 года доставлен в понедельник.',
      'Наш офис в Казани закрыт в августе.',
      'Сумма составляет 1 249,50 руб., включая НДС 20%.',
      'Версия 3.12.4 программы LinguaLoop Server работает в Windows 11.',
      'Мир и любовь важнее, и слава не главное.',
      'Счёт 2024-00123 относится к артикулу 978-3-16-148410-0.',
    ],
  },
};

export const letterLanguages = Object.keys(wordings);

/** Makes letters, in all languages by turns. */
export function makeLetters(count: number, seed = 56): Letter[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, index) =>
    makeLetter(letterLanguages[index % letterLanguages.length]!, index, random),
  );
}

function makeLetter(language: string, index: number, random: Random): Letter {
  const wording = wordings[language]!;
  const isRare = Math.floor(index / letterLanguages.length) % 5 < 2;
  const one = <T>(all: readonly T[]): T => all[random(all.length)]!;
  const gender = one(['f', 'm'] as const);
  const surnames = wording.surnames.split('; ');
  const given = () => one((isRare ? wording.rare : wording.usual)[gender].split(' '));
  const [surname, surname2, surname3] = [one(surnames), one(surnames), one(surnames)];
  const ascii = (text: string) =>
    text
      .normalize('NFD')
      .replace(/[^A-Za-z]/g, '')
      .toLowerCase() || `user${random(999)}`;
  const card = `4${digits(random, 14)}`;
  const values: Record<string, [Planted['kind'], string]> = {
    surname: ['names', surname],
    given: ['names', given()],
    surname2: ['names', surname2],
    full2: ['names', `${given()} ${surname2}`],
    full3: ['names', `${given()} ${surname3}`],
    street: ['addresses', one(wording.streets)],
    phone: ['phones', one(wording.phones)(random)],
    email: ['emails', `${ascii(surname)}.${random(99)}@example.org`],
    email2: ['emails', `${ascii(surname2)}+office@mail.example.com`],
    national: ['national_numbers', one(nationalNumbers[language]!)(random)],
    birth: ['birth_dates', `${two(1 + random(28))}.${two(1 + random(12))}.${1940 + random(65)}`],
    iban: ['accounts', wording.iban(random)],
    card: ['accounts', one([grouped, (text: string) => text])(card + luhnDigit(card))],
  };
  const planted: Planted[] = [];
  const fill = (line: string) =>
    line.replace(/\{(\w+)\}/g, (_, name: string) => {
      if (name === 'title') return wording.title[gender];
      // Without a usual given name, only a title shows that words are a name.
      if (name === 'full2' && isRare) planted.push({ kind: 'names', text: values[name]![1] });
      if (name === 'full2' && isRare) return `${wording.title[gender]} ${values[name]![1]}`;
      const [kind, text] = values[name]!;
      planted.push({ kind, text });
      return text;
    });
  const lines = wording.lines.flatMap((group, at) => {
    const chosen = at === 0 ? group : [one(group)];
    return [...chosen.map(fill), ...(at > 1 && at < 5 ? [one(wording.others), one(wording.others)] : [])];
  });
  return { language, text: lines.join('\n'), planted, isRare };
}
