-- What happens in the shop afterwards: each statement is one event of the feed, or some.
UPDATE shop.customers SET city = 'Milan' WHERE id = 1;
UPDATE shop.orders SET state = 'paid' WHERE id = 1002;
DELETE FROM shop.customers WHERE id = 3;
UPDATE shop.letters SET is_read = true;

BEGIN;
INSERT INTO shop.customers VALUES (4, 'Dag', 'Oslo', '2026-03-02');
INSERT INTO shop.orders VALUES (1003, 4, 0.10, 'new', '2026-03-02 12:00:00.000001+00');
COMMIT;

BEGIN;
UPDATE shop.orders SET total = 0;
ROLLBACK;

-- Bea becomes number 20: to the feed that is a deletion and a creation.
UPDATE shop.customers SET id = 20 WHERE id = 2;
UPDATE shop.orders SET customer = 20 WHERE customer = 2;
UPDATE shop.orders SET state = 'shipped' WHERE state = 'paid';
