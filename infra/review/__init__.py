"""What a preview means, in the words of whoever reviews it."""

from infra.review.preview import UnreadableError, read
from infra.review.words import Remark, Weight, remarks
from infra.review.written import FORMATS, written

__all__ = ["FORMATS", "Remark", "UnreadableError", "Weight", "read", "remarks", "written"]
