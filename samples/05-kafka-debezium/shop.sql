-- The shop before Debezium comes: these rows arrive as its snapshot.
CREATE SCHEMA shop;
CREATE TABLE shop.customers (id integer PRIMARY KEY, name text, city text, since date);
CREATE TABLE shop.orders (id bigint PRIMARY KEY, customer integer, total numeric(10, 2), state text, placed timestamptz);
-- A long body is kept out of line, and not logged again where it stays as it is.
CREATE TABLE shop.letters (id integer PRIMARY KEY, customer integer, is_read boolean, body text);
ALTER TABLE shop.letters ALTER body SET STORAGE EXTERNAL;

INSERT INTO shop.customers VALUES
  (1, 'Ada', 'Turin', '2021-03-01'),
  (2, 'Bea', 'Porto', '2022-07-15'),
  (3, 'Cyd', 'Ghent', '2023-01-09');
INSERT INTO shop.orders VALUES
  (9007199254740993, 1, 118.25, 'new', '2026-03-01 09:30:00+01'),
  (1002, 2, 40.00, 'new', '2026-03-01 10:00:00+00');
INSERT INTO shop.letters VALUES (1, 1, false, 'Dear shop, ' || repeat('more tea, ', 300) || 'Ada');
