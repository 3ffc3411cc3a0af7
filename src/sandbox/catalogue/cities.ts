/** The destinations of the local sandbox: real cities with their coordinates and IANA time zones (content is ours). */
import type {City} from '../../contract/hotels.js'

export const CITIES: readonly City[] = [
  city(101, 'Istanbul', 'TR', 41.0082, 28.9784, 'Europe/Istanbul'),
  city(102, 'Ankara', 'TR', 39.9334, 32.8597, 'Europe/Istanbul'),
  city(103, 'İzmir', 'TR', 38.4237, 27.1428, 'Europe/Istanbul'),
  city(104, 'Antalya', 'TR', 36.8969, 30.7133, 'Europe/Istanbul'),
  city(105, 'Bodrum', 'TR', 37.0344, 27.4305, 'Europe/Istanbul'),
  city(106, 'Göreme', 'TR', 38.6431, 34.8289, 'Europe/Istanbul'),
  city(107, 'Trabzon', 'TR', 41.0027, 39.7168, 'Europe/Istanbul'),
  city(201, 'London', 'GB', 51.5074, -0.1278, 'Europe/London'),
  city(202, 'Paris', 'FR', 48.8566, 2.3522, 'Europe/Paris'),
  city(203, 'Rome', 'IT', 41.9028, 12.4964, 'Europe/Rome'),
  city(204, 'Barcelona', 'ES', 41.3874, 2.1686, 'Europe/Madrid'),
  city(205, 'Berlin', 'DE', 52.52, 13.405, 'Europe/Berlin'),
  city(206, 'Vienna', 'AT', 48.2082, 16.3738, 'Europe/Vienna'),
  city(207, 'Amsterdam', 'NL', 52.3676, 4.9041, 'Europe/Amsterdam'),
  city(208, 'Prague', 'CZ', 50.0755, 14.4378, 'Europe/Prague'),
  city(209, 'Athens', 'GR', 37.9838, 23.7275, 'Europe/Athens'),
  city(210, 'Lisbon', 'PT', 38.7223, -9.1393, 'Europe/Lisbon'),
  city(211, 'Kraków', 'PL', 50.0614, 19.9366, 'Europe/Warsaw'),
  city(212, 'Sarajevo', 'BA', 43.8563, 18.4131, 'Europe/Sarajevo'),
  city(301, 'Dubai', 'AE', 25.2048, 55.2708, 'Asia/Dubai'),
  city(302, 'Doha', 'QA', 25.2854, 51.531, 'Asia/Qatar'),
  city(303, 'Kuwait City', 'KW', 29.3759, 47.9774, 'Asia/Kuwait'),
  city(304, 'Makkah', 'SA', 21.3891, 39.8579, 'Asia/Riyadh'),
  city(305, 'Cairo', 'EG', 30.0444, 31.2357, 'Africa/Cairo'),
  city(306, 'Baku', 'AZ', 40.4093, 49.8671, 'Asia/Baku'),
  city(307, 'Tbilisi', 'GE', 41.7151, 44.8271, 'Asia/Tbilisi'),
  city(401, 'New York', 'US', 40.7128, -74.006, 'America/New_York'),
  city(402, 'São Paulo', 'BR', -23.5505, -46.6333, 'America/Sao_Paulo'),
  city(403, 'Tokyo', 'JP', 35.6762, 139.6503, 'Asia/Tokyo'),
  city(404, 'Bangkok', 'TH', 13.7563, 100.5018, 'Asia/Bangkok'),
  city(405, 'Singapore', 'SG', 1.3521, 103.8198, 'Asia/Singapore'),
  city(406, 'Kathmandu', 'NP', 27.7172, 85.324, 'Asia/Kathmandu'),
  city(407, 'Sydney', 'AU', -33.8688, 151.2093, 'Australia/Sydney'),
  city(408, 'Marrakesh', 'MA', 31.6295, -7.9811, 'Africa/Casablanca'),
]

const BY_ID = new Map(CITIES.map(each => [each.id, each]))

/** The city with this id, or undefined. */
export function findCity(cityId: number): City | undefined {
  return BY_ID.get(cityId)
}

function city(
  id: number,
  name: string,
  country: string,
  latitude: number,
  longitude: number,
  timezone: string,
): City {
  return {id, type: 'CITY', name, country_code: country, latitude, longitude, timezone}
}
