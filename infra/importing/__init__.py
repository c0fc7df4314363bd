"""TFJob manifests, as people have them, become entries of a stack file: one file a subject of the mapping."""

from infra.importing.documents import Manifest, manifests_of
from infra.importing.job import Imported, imported

__all__ = ["Imported", "Manifest", "imported", "manifests_of"]
