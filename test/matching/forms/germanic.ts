/**
 * Each line contains a term, then after "=" forms of the term that must count, and after "≠" similar words that must
 * not count.
 */
export const germanic = {
  en: `
contract = contracts, contract's, contracts' ≠ contrast, contractor, contraction, contact
cat = cats, cat's ≠ category, catalog, cater, catch
invoice = invoices, invoiced, invoicing ≠ involve, voice, invoke
policy = policies ≠ police, polite, politics
analysis = analyses ≠ analyst, analytics
party = parties ≠ part, partial, partition
data subject = data subjects, data subject's ≠ subject, data, data subjection
cancel = cancels, cancelled, canceled, cancelling, canceling ≠ cancer, cancellation, canal
submit = submits, submitted, submitting ≠ summit, submission
child = children ≠ chill, childish
appendix = appendices, appendixes ≠ append
match = matches, matched, matching ≠ mat, matte`,
  de: `
Vertrag = Vertrags, Vertrages, Vertrage, Verträge, Verträgen ≠ Vertrauen, Vortrag, verträglich, Verträglichkeit, vertragen
Rechnung = Rechnungen ≠ Rechner, Rechnen, rechnen, Berechnung, Abrechnung, Recht
Haus = Hauses, Hause, Häuser, Häusern ≠ Haut, Haufen, hausen
Kunde = Kunden ≠ Kundgebung, Urkunde, Kunst
Lieferung = Lieferungen ≠ Lieferant, liefern
prüfen = prüft, prüfte, geprüft, geprüften, prüfend ≠ Prüfung, prüde, Prüfer
anmelden = anmeldet, angemeldet, anzumelden, angemeldeten ≠ Anmeldung, ansiedeln, Anmerkung
allgemeine Geschäftsbedingungen = allgemeinen Geschäftsbedingungen, Allgemeiner Geschäftsbedingungen ≠ allgemeine Bedingungen, Geschäftsbedingungen, allgemeine Geschäftsführung
Zeugnis = Zeugnisse, Zeugnissen, Zeugnisses ≠ Zeugung, Zeug, Zeuge
Konto = Kontos, Konten ≠ Kontor, Kontext
Firma = Firmen ≠ Firmament, Firmung
Druck = Drucks, Druckes, Drücke ≠ Drucker, drucken, drücken
Datum = Daten, Datums ≠ Dativ, Datei, Dattel
Kaufvertrag = Kauf-Vertrag, Kaufverträge, Kaufvertrags ≠ Vertrag, Kauf, Kaufbetrag`,
  nl: `
contract = contracten ≠ contact, contrast, contractant
overeenkomst = overeenkomsten ≠ overeenkomstig, overkomst, overeenstemming
factuur = facturen ≠ factor, facturatie
prijs = prijzen ≠ prijken, rijst
huis = huizen ≠ huid, huiveren
brief = brieven ≠ briefing, breed
klant = klanten ≠ klank, kant
levering = leveringen ≠ leverancier, leveren, lever
leveren = levert, leverde, geleverd, leverden, geleverde ≠ levering, leven, leverbaar
verzekeren = verzekert, verzekerde, verzekerd ≠ verzekering, verzekeraar
bedrijf = bedrijven ≠ bedrag, bedreigen, bedrieger
naam = namen ≠ naald, aam
persoonlijk gegeven = persoonlijke gegevens, persoonlijke gegeven ≠ gegeven, persoonlijk, persoonlijke geschenken`,
  sv: `
avtal = avtalet, avtals, avtalen, avtalens, avtalets ≠ avtagande, antal, avdrag
faktura = fakturan, fakturor, fakturorna, fakturans, fakturornas ≠ faktor, faktum, fakir
kund = kunden, kunder, kunderna, kundens, kundernas, kunds ≠ kung, kunna, kunskap
företag = företaget, företagen, företagens, företagets ≠ företräde, förslag, företagsam
beställning = beställningar, beställningen, beställningarna, beställningens ≠ beställare, bestämning, ställning
användare = användaren, användarna, användarens ≠ användning, använda
nyckel = nyckeln, nycklar, nycklarna ≠ nyck, nykter
hand = handen, händer, händerna ≠ handel, handla, hund
personlig uppgift = personliga uppgifter, personliga uppgifterna ≠ uppgift, personlig uppgång
betala = betalar, betalade, betalat, betalas ≠ betalning, beta
bok = boken, böcker, böckerna ≠ boka, bock`,
  da: `
aftale = aftalen, aftaler, aftalerne, aftalens, aftalernes ≠ aftage, aften, omtale
kontrakt = kontrakten, kontrakter, kontrakterne, kontraktens ≠ kontrast, kontakt, kontraktion
kunde = kunden, kunder, kunderne, kundernes ≠ kunne, kundskab, kunst
faktura = fakturaen, fakturaer, fakturaerne ≠ faktor, faktum
virksomhed = virksomheden, virksomheder, virksomhederne ≠ virksom, virkning
bruger = brugeren, brugere, brugerne, brugerens ≠ brug, brugbar
hånd = hånden, hænder, hænderne ≠ hund, handel
bus = bussen, busser, busserne ≠ busk, buste
betale = betaler, betalte, betalt ≠ betaling
regning = regninger, regningen ≠ regn, regnskab`,
  nb: `
avtale = avtalen, avtaler, avtalene, avtalens ≠ avta, omtale, antall
kontrakt = kontrakten, kontrakter, kontraktene, kontraktens ≠ kontrast, kontakt
kunde = kunden, kunder, kundene ≠ kunne, kunnskap, kunst
selskap = selskapet, selskaper, selskapene, selskapets ≠ selskapelig, skap
bruker = brukeren, brukere, brukerne ≠ bruk, brukbar
bok = boken, boka, bøker, bøkene ≠ bokstav, bukk
faktura = fakturaen, fakturaer, fakturaene ≠ faktor, faktum
bestilling = bestillingen, bestillinger, bestillingene ≠ bestille, stilling
betale = betaler, betalte, betalt ≠ betaling, beta`,
};
