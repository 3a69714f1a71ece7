/** Days from 0000-01-01 to a date of the proleptic Gregorian calendar; null if the calendar has no such date. */
export function dayNumber(year: number, month: number, day: number): number | null {
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return null
  // Counting years from March puts the leap day at the end of its year.
  const y = month > 2 ? year : year - 1
  const m = month > 2 ? month - 3 : month + 9
  const leapDays = Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400)
  return y * 365 + leapDays + Math.floor((153 * m + 2) / 5) + day - 1 + MARCH
}

/** The date `yyyy-mm-dd` that lies this many days after 0000-01-01, in the years 0 to 9999. */
export function dateText(dayNumberOfDate: number): string {
  const days = dayNumberOfDate - MARCH
  const era = Math.floor(days / 146_097)
  const dayOfEra = days - era * 146_097
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const m = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * m + 2) / 5) + 1
  const month = m < 10 ? m + 3 : m - 9
  const year = era * 400 + yearOfEra + (month > 2 ? 0 : 1)
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

/** A number below 100 in two digits. */
export function twoDigits(n: number): string {
  return n < 10 ? `0${n}` : String(n)
}

/** Days from 0000-01-01 to 0000-03-01, where the year of the arithmetic starts. */
const MARCH = 60

function daysIn(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}
